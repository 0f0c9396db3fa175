package inferencegateway.upstream;

import inferencegateway.config.BackendConfig;
import inferencegateway.config.Secret;
import inferencegateway.config.UpstreamConfig;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * How replies of one backend are read.
 *
 * @param lenientFinish whether an answer may end without a finish_reason
 * @param maxEventBytes longest event and longest whole body
 * @param maxResponseBytes longest answer that is not streamed, as protobuf
 */
record Dialect(
    ReplyFailures failures,
    boolean lenientFinish,
    int maxEventBytes,
    int maxResponseBytes,
    Clock clock) {

  static Dialect of(BackendConfig backend, UpstreamConfig limits, @Nullable Secret apiKey) {
    return new Dialect(
        new ReplyFailures(new ErrorText(apiKey)),
        backend.lenientFinish(),
        limits.maxEventBytes(),
        limits.maxResponseBytes(),
        Clock.systemUTC());
  }
}
