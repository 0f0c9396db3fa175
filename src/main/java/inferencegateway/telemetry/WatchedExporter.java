package inferencegateway.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once that spans cannot be sent, and once that they can again: a collector that is away for a
 * night is two lines. The library's own lines about it are left out.
 *
 * <p>Thread: the exporter's.
 */
final class WatchedExporter implements SpanExporter {

  private static final Logger LOG = LoggerFactory.getLogger(WatchedExporter.class);

  private static final int LONGEST = 200;

  private final SpanExporter exporter;
  private final String to;

  /** Answers may come on threads of the exporter's choice. */
  private final AtomicBoolean failing = new AtomicBoolean();

  private final AtomicLong lost = new AtomicLong();

  /**
   * @param to its address, for people
   */
  WatchedExporter(SpanExporter exporter, String to) {
    this.exporter = exporter;
    this.to = to;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size();
    CompletableResultCode sent = exporter.export(spans);
    sent.whenComplete(() -> sent(sent, count));
    return sent;
  }

  private void sent(CompletableResultCode result, int count) {
    if (result.isSuccess()) {
      if (failing.compareAndSet(true, false)) {
        LOG.info("Spans are taken again; {} were lost meanwhile", lost.getAndSet(0));
      }
      return;
    }
    lost.addAndGet(count);
    if (failing.compareAndSet(false, true)) {
      LOG.warn(
          "Spans cannot be sent to {}: {}. They are dropped and counted until it takes them again;"
              + " calls are not affected",
          to,
          words(result.getFailureThrowable()));
    }
  }

  private static String words(@Nullable Throwable failure) {
    if (failure == null) {
      return "not taken in time";
    }
    Throwable why = failure;
    while (!(why instanceof IOException) && why.getCause() != null) {
      why = why.getCause();
    }
    String words = why.getClass().getSimpleName();
    String message = why.getMessage() == null ? "" : ": " + why.getMessage();
    return (words + message).substring(0, Math.min(LONGEST, words.length() + message.length()));
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }

  @Override
  public String toString() {
    return exporter.toString();
  }
}
