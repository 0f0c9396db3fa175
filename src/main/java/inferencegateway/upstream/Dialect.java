package inferencegateway.upstream;

import inferencegateway.config.ApiKey;
import inferencegateway.config.BackendConfig;
import inferencegateway.config.UpstreamConfig;
import java.time.Clock;

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

  static Dialect of(BackendConfig backend, UpstreamConfig limits, ApiKey apiKey) {
    return new Dialect(
        new ReplyFailures(new ErrorText(apiKey::recent)),
        backend.lenientFinish(),
        limits.maxEventBytes(),
        limits.maxResponseBytes(),
        Clock.systemUTC());
  }
}
