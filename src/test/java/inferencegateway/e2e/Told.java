package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import inferencegateway.testing.CapturedMetadata;
import inferencegateway.testing.ErrorDetails;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything one caller was told.
 *
 * @param trailersOnly whether the status came without headers before it
 * @param pieces texts of the messages in order, empty ones too
 * @param finished whether the last message came
 */
record Told(
    Status status,
    Metadata trailers,
    boolean trailersOnly,
    List<String> pieces,
    String reasoning,
    boolean finished,
    String finish,
    int inputTokens,
    int outputTokens) {

  String text() {
    return String.join("", pieces);
  }

  Status.Code code() {
    return status.getCode();
  }

  ErrorDetails details() {
    return ErrorDetails.of(trailers);
  }

  String reason() {
    return details().reason();
  }

  /** A word of ErrorInfo's metadata; empty when it is not there. */
  String said(String key) {
    return details().errorInfo().map(i -> i.getMetadataOrDefault(key, "")).orElse("");
  }

  @Nullable String trailer(String name) {
    return trailers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
  }

  /** A whole, good answer of the usual length. */
  Told assertAnswered() {
    assertEquals(Status.Code.OK, code(), this::summary);
    assertTrue(finished, this::summary);
    assertFalse(text().isEmpty(), this::summary);
    return this;
  }

  /** What every status of ours carries, whatever it says. */
  Told assertFullyExplained() {
    ErrorDetails details = details();
    ErrorInfo info = details.errorInfo().orElseThrow(() -> new AssertionError(summary()));
    assertEquals("inference-gateway", info.getDomain());
    assertFalse(String.valueOf(details.requestId()).isBlank());
    assertEquals(details.requestId(), info.getMetadataOrThrow("request_id"));
    assertEquals(status.getCode().value(), details.status().getCode());
    assertEquals(status.getDescription(), details.status().getMessage());
    assertFalse(finished, "an error has no last message");
    return this;
  }

  /** Both retry advices, consistent with each other; empty: the caller is told not to. */
  Optional<Long> retryMillis() {
    long pushback = Long.parseLong(String.valueOf(trailer("grpc-retry-pushback-ms")));
    Optional<Long> pause =
        details()
            .retryInfo()
            .map(
                r ->
                    r.getRetryDelay().getSeconds() * 1_000
                        + r.getRetryDelay().getNanos() / 1_000_000);
    assertEquals(pause.orElse(-1L), pushback, this::summary);
    assertEquals(pause.map(p -> "safe").orElse(null), trailer("x-gateway-retry"), this::summary);
    return pause;
  }

  String summary() {
    return status + " " + pieces.size() + " pieces, trailers " + trailers + " " + details();
  }

  /** Collects while a call runs. */
  static final class Collector {
    private final CapturedMetadata captured;
    private final List<String> pieces = new ArrayList<>();
    private final StringBuilder reasoning = new StringBuilder();
    private boolean finished;
    private String finish = "";
    private int input;
    private int output;

    Collector(CapturedMetadata captured) {
      this.captured = captured;
    }

    void piece(String text, String thought) {
      pieces.add(text);
      reasoning.append(thought);
    }

    void end(String reason, int inputTokens, int outputTokens) {
      finished = true;
      finish = reason;
      input = inputTokens;
      output = outputTokens;
    }

    Told completed() {
      return told(Status.OK, captured.trailers());
    }

    Told failed(StatusRuntimeException e) {
      return told(e.getStatus(), e.getTrailers());
    }

    private Told told(Status status, @Nullable Metadata trailers) {
      Metadata there = trailers == null ? new Metadata() : trailers;
      boolean bare = captured.headers() == null;
      return new Told(
          status,
          there,
          bare,
          List.copyOf(pieces),
          reasoning.toString(),
          finished,
          finish,
          input,
          output);
    }
  }
}
