package inferencegateway.e2e;

import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One way for the backend to fail, and what follows from it.
 *
 * @param fault as the simulator takes it
 * @param kind which methods it is for
 * @param start what connection the request leaves on
 * @param tokens pieces handed over before the end, of a stream
 * @param retry how long the caller is told to wait
 * @param reused whether the next call finds the connection again
 * @param upstream what the error details repeat of the backend's words
 */
record UpstreamRow(
    String name,
    String fault,
    Kind kind,
    Start start,
    Code code,
    String reason,
    String phase,
    int tokens,
    Retry retry,
    boolean reused,
    Map<String, String> upstream) {

  enum Kind {
    BOTH,
    STREAM,
    WHOLE
  }

  enum Start {
    FRESH,
    USED
  }

  enum Retry {
    NEVER,
    ONE_SECOND,
    TWO_SECONDS,
    FIVE_SECONDS,
    /** A second, a quarter more or less. */
    JITTERED
  }

  static UpstreamRow of(String name, String fault, Code code, String reason) {
    return new UpstreamRow(
        name,
        fault,
        Kind.BOTH,
        Start.USED,
        code,
        reason,
        "prefill",
        0,
        Retry.NEVER,
        true,
        Map.of());
  }

  UpstreamRow streamed() {
    return with(Kind.STREAM, start, phase, tokens, retry, reused, upstream);
  }

  UpstreamRow whole() {
    return with(Kind.WHOLE, start, phase, tokens, retry, reused, upstream);
  }

  UpstreamRow onFresh() {
    return with(kind, Start.FRESH, phase, tokens, retry, reused, upstream);
  }

  UpstreamRow in(String lastPhase) {
    return with(kind, start, lastPhase, tokens, retry, reused, upstream);
  }

  UpstreamRow afterTokens(int count) {
    return with(Kind.STREAM, start, "decode", count, retry, reused, upstream);
  }

  UpstreamRow retry(Retry advice) {
    return with(kind, start, phase, tokens, advice, reused, upstream);
  }

  UpstreamRow closing() {
    return with(kind, start, phase, tokens, retry, false, upstream);
  }

  UpstreamRow saying(String type, String param, String code) {
    return with(
        kind,
        start,
        phase,
        tokens,
        retry,
        reused,
        Map.of("upstream_type", type, "upstream_param", param, "upstream_code", code));
  }

  private UpstreamRow with(
      Kind k, Start s, String p, int t, Retry r, boolean again, Map<String, String> words) {
    return new UpstreamRow(name, fault, k, s, code, reason, p, t, r, again, words);
  }

  List<AskedMethod> methods() {
    List<AskedMethod> fitting = new ArrayList<>();
    for (AskedMethod method : AskedMethod.values()) {
      if (kind == Kind.BOTH || (kind == Kind.STREAM) == method.isStream()) {
        fitting.add(method);
      }
    }
    return fitting;
  }

  @Override
  public String toString() {
    return name + " " + fault;
  }
}
