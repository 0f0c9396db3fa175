package inferencegateway.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once when a collector does not take what it is sent, and once when it takes it again. */
final class ExportWatch {

  private static final Logger LOG = LoggerFactory.getLogger(ExportWatch.class);

  private static final int LONGEST = 200;

  private final String what;
  private final String to;
  private final String meanwhile;

  /** Answers may come on threads of the exporter's choice. */
  private final AtomicBoolean failing = new AtomicBoolean();

  private final AtomicLong lost = new AtomicLong();

  /**
   * @param what is sent, at the beginning of a sentence
   * @param to its address, for people
   * @param meanwhile what becomes of it, a sentence
   */
  ExportWatch(String what, String to, String meanwhile) {
    this.what = what;
    this.to = to;
    this.meanwhile = meanwhile;
  }

  /**
   * Sent is told of when it is known whether it was taken.
   *
   * @param count how many are lost when it is not; 0 where nothing is
   */
  CompletableResultCode watch(CompletableResultCode sent, int count) {
    sent.whenComplete(() -> sent(sent, count));
    return sent;
  }

  private void sent(CompletableResultCode result, int count) {
    if (result.isSuccess()) {
      if (failing.compareAndSet(true, false)) {
        long gone = lost.getAndSet(0);
        LOG.info(
            "{} are taken again{}", what, gone == 0 ? "" : "; " + gone + " were lost meanwhile");
      }
      return;
    }
    lost.addAndGet(count);
    if (failing.compareAndSet(false, true)) {
      LOG.warn(
          "{} cannot be sent to {}: {}. {}; calls are not affected",
          what,
          to,
          words(result.getFailureThrowable()),
          meanwhile);
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
}
