package inferencegateway.server;

import io.grpc.Metadata;
import java.util.function.BooleanSupplier;

/**
 * Tells an Envoy in front, with every answer while draining, to send no more calls: faster than its
 * next health check.
 */
public final class DrainHeader implements AnswerMark {

  static final Metadata.Key<String> FAIL_HEALTH_CHECK =
      Metadata.Key.of("x-envoy-immediate-health-check-fail", Metadata.ASCII_STRING_MARSHALLER);

  private final BooleanSupplier draining;

  /**
   * @param draining asked as an answer begins and as it ends, from the call's loop
   */
  public DrainHeader(BooleanSupplier draining) {
    this.draining = draining;
  }

  @Override
  public void first(Metadata headers) {
    mark(headers);
  }

  /** Trailers are the whole answer of a failed call, and the only chance of a long stream. */
  @Override
  public void last(String method, Metadata trailers) {
    mark(trailers);
  }

  private void mark(Metadata metadata) {
    if (draining.getAsBoolean()) {
      metadata.put(FAIL_HEALTH_CHECK, "true");
    }
  }
}
