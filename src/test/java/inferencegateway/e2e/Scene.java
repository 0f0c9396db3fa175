package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.RawCall;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A rig whose calls have names, so that each can be looked at from its three sides: what the caller
 * saw, what the backend saw, what the log says.
 */
final class Scene implements AutoCloseable {

  static final Duration SOON = Duration.ofSeconds(10);
  static final String STREAM = "/llm.v1.LLMService/CompleteStream";
  static final String WHOLE = "/llm.v1.LLMService/Complete";
  static final String MODEL = "simulated-model";
  static final int CANCEL = 8;

  private static final AtomicInteger CALLS = new AtomicInteger();

  private final CallLog log = new CallLog();
  private final Rig rig;

  private Scene(Rig rig) {
    this.rig = rig;
  }

  static Scene start(UnaryOperator<SimulatorConfig> shape, Map<String, String> settings) {
    return new Scene(Rig.start(shape, settings));
  }

  static Scene start(Map<String, String> settings) {
    return start(sim -> sim, settings);
  }

  /** A user's one message; {@code faults} is a spec of the simulator's, or empty. */
  static CompleteRequest.Builder ask(String faults) {
    String marker = faults.isEmpty() ? "" : "[[sim:" + faults + "]] ";
    return CompleteRequest.newBuilder()
        .setModel(MODEL)
        .addMessages(Message.newBuilder().setRole("user").setContent(marker + "hello"));
  }

  /** An answer of exactly so many tokens. */
  static CompleteRequest.Builder ask(String faults, int tokens) {
    CompleteRequest.Builder ask = ask(faults).setMaxTokens(tokens);
    ask.getStoppingBuilder().setIgnoreEos(true);
    return ask;
  }

  static String newId() {
    return "scene-" + CALLS.incrementAndGet();
  }

  Rig rig() {
    return rig;
  }

  CallLog log() {
    return log;
  }

  RawH2 connect() {
    return RawH2.connect(rig.port());
  }

  RawH2 connect(H2Behaviour behaviour) {
    return RawH2.connect(rig.port(), behaviour);
  }

  /** One raw call under the name {@code id}, asked in full. */
  static RawStream open(RawH2 h2, String path, String id, CompleteRequest.Builder ask) {
    return named(h2, path, id).open().message(ask.build()).halfClose();
  }

  static RawCall named(RawH2 h2, String path, String id) {
    return h2.call(path).with("x-request-id", id);
  }

  /** All that reached the backend for that call. */
  List<RecordedRequest> upstream(String id) {
    return rig.simulator().chats().stream()
        .filter(chat -> chat.headers().getOrDefault("x-request-id", "").startsWith(id + "-"))
        .toList();
  }

  /** The backend's only record of the call, once it has arrived. */
  RecordedRequest awaitUpstream(String id) {
    List<RecordedRequest> found =
        Eventually.within(SOON)
            .get(
                () -> {
                  List<RecordedRequest> there = upstream(id);
                  return there.isEmpty() ? null : there;
                });
    assertEquals(1, found.size());
    return found.get(0);
  }

  RecordedRequest awaitTokens(String id, int count) {
    Eventually.within(SOON)
        .assertThat(count + " tokens written", () -> awaitUpstream(id).tokens() >= count);
    return awaitUpstream(id);
  }

  /** The backend's record of the call once the gateway was seen to leave it. */
  RecordedRequest awaitAborted(String id) {
    Eventually.within(SOON)
        .assertThat(
            "the gateway leaves the backend",
            () -> awaitUpstream(id).disconnect().isPresent() && awaitUpstream(id).aborted());
    return awaitUpstream(id);
  }

  void assertNothingUpstream(String id) {
    assertTrue(upstream(id).isEmpty(), "the backend was asked");
  }

  /** The call's one line; fails when there are more. */
  CallLog.Line awaitLine(String id) {
    Eventually.within(SOON).assertThat("a log line of " + id, () -> !log.of(id).isEmpty());
    assertEquals(1, log.of(id).size(), () -> "lines of " + id + ": " + log.of(id));
    return log.of(id).element();
  }

  /** The gateway serves on, every place is free and nothing runs at the backend. */
  void assertAllIsWell() {
    rig.awaitQuiet();
    assertFalse(rig.callers().seeds().complete("how are you").getText().isEmpty());
    rig.awaitQuiet();
  }

  @Override
  public void close() {
    rig.close();
    log.close();
  }
}
