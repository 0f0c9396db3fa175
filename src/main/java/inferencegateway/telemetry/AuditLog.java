package inferencegateway.telemetry;

import inferencegateway.chat.Reason;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One structured line per denial, at WARN; logger {@code audit}. Anybody can make it write, so that
 * it writes five lines a second at most, after a hundred at once, for those who are not known and
 * for each known caller: nobody can hide what another one tries. A line tells how many were left
 * out before it.
 *
 * <p>Thread-safe.
 */
public final class AuditLog {

  private static final Logger LOG = LoggerFactory.getLogger("audit");

  private static final int AT_ONCE = 100;
  private static final long NANOS_A_LINE = 200_000_000L;
  private static final int LONGEST = 200;

  /** Names of certificates have no bound; above that many they share. */
  private static final int MOST_CALLERS = 1_000;

  private final LongSupplier nanoTime;
  private final Consumer<Denial> heard;

  /** Guarded by itself: calls end on every loop. */
  private final Map<String, Allowance> allowances = new HashMap<>();

  public AuditLog() {
    this(any -> {});
  }

  /**
   * @param heard told of every denial, written or left out
   */
  public AuditLog(Consumer<Denial> heard) {
    this(System::nanoTime, heard);
  }

  AuditLog(LongSupplier nanoTime, Consumer<Denial> heard) {
    this.nanoTime = nanoTime;
    this.heard = heard;
  }

  public void denied(Denial denial) {
    heard.accept(denial);
    long leftOut = admit(denial.reason(), denial.caller());
    if (leftOut < 0) {
      return;
    }
    LoggingEventBuilder line =
        LOG.atWarn()
            .addKeyValue("reason", denial.reason())
            .addKeyValue("request_id", denial.requestId());
    line = TraceContext.addTo(line, denial.traceContext());
    line = ifSaid(line, "caller", denial.caller());
    line = ifSaid(line, "credential", denial.credential());
    line =
        line.addKeyValue("peer", denial.peer()).addKeyValue("method", shortened(denial.method()));
    line = ifSaid(line, "model", denial.model());
    line = ifSaid(line, "detail", denial.why());
    if (leftOut > 0) {
      line = line.addKeyValue("left_out", leftOut);
    }
    line.log("denied");
  }

  /** How many were left out since the last line; -1: this one is left out too. */
  private long admit(Reason reason, String caller) {
    long now = nanoTime.getAsLong();
    synchronized (allowances) {
      String whose = reason + " " + caller;
      String key =
          allowances.size() < MOST_CALLERS || allowances.containsKey(whose) ? whose : "others";
      return allowances.computeIfAbsent(key, first -> new Allowance(now)).take(now);
    }
  }

  private static LoggingEventBuilder ifSaid(LoggingEventBuilder line, String key, String value) {
    return value.isEmpty() ? line : line.addKeyValue(key, shortened(value));
  }

  /** Methods and models are the caller's own words. */
  private static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  /** A bucket of lines that fills up by itself. */
  private static final class Allowance {
    private long lines = AT_ONCE;
    private long filledAt;
    private long leftOut;

    Allowance(long now) {
      filledAt = now;
    }

    long take(long now) {
      long more = (now - filledAt) / NANOS_A_LINE;
      filledAt += more * NANOS_A_LINE;
      lines = Math.min(AT_ONCE, lines + more);
      if (lines == 0) {
        leftOut++;
        return -1;
      }
      lines--;
      long before = leftOut;
      leftOut = 0;
      return before;
    }
  }
}
