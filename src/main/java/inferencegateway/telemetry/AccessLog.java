package inferencegateway.telemetry;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One structured line per call, at its end, at INFO; logger {@code inferencegateway.call}. Sizes
 * and times only, never content.
 */
public final class AccessLog {

  private static final Logger LOG = LoggerFactory.getLogger("inferencegateway.call");

  public void record(CallRecord call) {
    if (!LOG.isInfoEnabled()) {
      return;
    }
    LoggingEventBuilder line = LOG.atInfo();
    line = names(line, call);
    line = ending(line, call);
    line = tokens(line, call);
    line = times(line, call);
    line = line.addKeyValue("reused", call.reused()).addKeyValue("attempts", call.attempts());
    line = call.rescued() > 0 ? line.addKeyValue("rescued", call.rescued()) : line;
    line.log("call");
  }

  private static LoggingEventBuilder names(LoggingEventBuilder line, CallRecord call) {
    LoggingEventBuilder next =
        TraceContext.addTo(line.addKeyValue("request_id", call.requestId()), call.traceContext())
            .addKeyValue("method", call.method())
            .addKeyValue("peer", call.peer());
    next = call.caller().isEmpty() ? next : next.addKeyValue("caller", call.caller());
    next = next.addKeyValue("model", call.model());
    if (!call.sentModel().isEmpty() && !call.sentModel().equals(call.model())) {
      next = next.addKeyValue("sent_model", call.sentModel());
    }
    return call.backend().isEmpty() ? next : next.addKeyValue("backend", call.backend());
  }

  private static LoggingEventBuilder ending(LoggingEventBuilder line, CallRecord call) {
    LoggingEventBuilder next =
        line.addKeyValue("outcome", call.outcome().word())
            .addKeyValue("code", call.code())
            .addKeyValue("phase", call.phase().word());
    next = ifSaid(next, "reason", call.reason());
    next = ifSaid(next, "detail", call.detail());
    return ifSaid(next, "finish", call.finish());
  }

  private static LoggingEventBuilder tokens(LoggingEventBuilder line, CallRecord call) {
    return line.addKeyValue("input_tokens", call.inputTokens())
        .addKeyValue("output_tokens", call.outputTokens())
        .addKeyValue("usage", call.exactUsage() ? "exact" : "counted")
        .addKeyValue("deltas", call.deltas());
  }

  private static LoggingEventBuilder times(LoggingEventBuilder line, CallRecord call) {
    LoggingEventBuilder next = millis(line, "queue_ms", call.queueNanos());
    next = millis(next, "ttft_ms", call.firstTokenNanos());
    next = millis(next, "total_ms", call.totalNanos());
    return call.pausedNanos() > 0 ? millis(next, "backpressure_ms", call.pausedNanos()) : next;
  }

  private static LoggingEventBuilder millis(LoggingEventBuilder line, String key, long nanos) {
    return nanos < 0 ? line : line.addKeyValue(key, TimeUnit.NANOSECONDS.toMicros(nanos) / 1000.0);
  }

  private static LoggingEventBuilder ifSaid(
      LoggingEventBuilder line, String key, @Nullable String value) {
    return value == null ? line : line.addKeyValue(key, value);
  }
}
