package inferencegateway.cli;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import inferencegateway.proto.admin.v1.Backend;
import inferencegateway.proto.admin.v1.Call;
import inferencegateway.proto.admin.v1.Lately;
import inferencegateway.proto.admin.v1.ListCallsResponse;
import inferencegateway.proto.admin.v1.StatusResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The admin service's answers for people who were asleep a minute ago. */
final class StatusText {

  private static final long MIB = 1 << 20;

  private StatusText() {}

  static List<String> lines(Message answer, Instant now) {
    if (answer instanceof StatusResponse status) {
      return status(status, now);
    }
    return answer instanceof ListCallsResponse calls ? calls(calls) : List.of();
  }

  private static List<String> status(StatusResponse status, Instant now) {
    List<String> lines = new ArrayList<>();
    lines.add(headline(status, now));
    lines.add(load(status));
    lines.add(
        "connections: %d of %d   heap: %d of %d MiB"
            .formatted(
                status.getConnections(),
                status.getConnectionsLimit(),
                status.getHeapUsedBytes() / MIB,
                status.getHeapMaxBytes() / MIB));
    if (status.getEndedCount() > 0) {
      lines.add("ended since the start: " + ended(status));
    }
    lines.add("");
    lines.addAll(backends(status));
    addTable(lines, queues(status));
    addTable(lines, callers(status));
    return lines;
  }

  private static String headline(StatusResponse status, Instant now) {
    String state =
        status.getReady()
            ? "READY"
            : "NOT READY: " + String.join(", ", status.getNotReadyBecauseList());
    long up = Math.max(0, now.getEpochSecond() - status.getStarted().getSeconds());
    return "%s   inference-gateway %s, up %s".formatted(state, status.getVersion(), age(up));
  }

  private static String load(StatusResponse status) {
    String load =
        "calls: %d, %d of them waiting (at most %d for each set of backends)"
            .formatted(status.getCalls(), status.getWaiting(), status.getWaitingLimit());
    return status.hasUtilization()
        ? load + "   utilization: " + percent(status.getUtilization())
        : load;
  }

  private static String ended(StatusResponse status) {
    return status.getEndedList().stream()
        .map(ended -> ended.getOutcome() + " " + ended.getCalls())
        .collect(Collectors.joining(", "));
  }

  private static List<String> backends(StatusResponse status) {
    Columns table =
        new Columns(
            "BACKEND",
            "STATE",
            "CALLS",
            "LIMIT",
            "FAILED",
            "LATE",
            "ITS RUNNING",
            "ITS QUEUE",
            "KV CACHE",
            "MODELS");
    for (Backend backend : status.getBackendsList()) {
      boolean told = backend.hasEngine();
      table.row(
          backend.getName(),
          state(backend.getState()),
          Integer.toString(backend.getRunning()),
          Integer.toString(backend.getLimit()),
          failed(backend.getLately()),
          share(backend.getLately().getLate(), backend.getLately().getAttempts()),
          told ? number(backend.getEngine().getRunning()) : "",
          told ? number(backend.getEngine().getWaiting()) : "",
          backend.getEngine().hasKvCacheUsage()
              ? percent(backend.getEngine().getKvCacheUsage())
              : "",
          String.join(",", backend.getModelsList()));
    }
    return table.lines();
  }

  private static String failed(Lately lately) {
    return (share(lately.getFailed(), lately.getAttempts()) + " " + lately.getLastFailure())
        .strip();
  }

  /** Never rounded to nothing, nor to all. */
  private static String share(int some, int all) {
    if (some == 0 || all == 0) {
      return all == 0 ? "" : "0 %";
    }
    return some == all ? "100 %" : Math.min(99, Math.max(1, Math.round(some * 100f / all))) + " %";
  }

  private static String state(Backend.State state) {
    return switch (state) {
      case STATE_UP -> "up";
      case STATE_DOWN -> "DOWN";
      case STATE_PUT_ASIDE -> "PUT ASIDE";
      case STATE_STALLED -> "STALLED";
      case STATE_RETIRED -> "retired";
      case STATE_UNKNOWN, STATE_UNSPECIFIED, UNRECOGNIZED -> "unknown";
    };
  }

  private static Columns queues(StatusResponse status) {
    Columns table = new Columns("QUEUE OF", "WAITING", "OLDEST");
    status
        .getQueuesList()
        .forEach(
            queue ->
                table.row(
                    queue.getModel(),
                    Integer.toString(queue.getWaiting()),
                    age(queue.getOldest())));
    return table;
  }

  private static Columns callers(StatusResponse status) {
    Columns table = new Columns("CALLER", "CALLS", "WAITING");
    status
        .getCallersList()
        .forEach(
            caller ->
                table.row(
                    caller.getCaller(),
                    Integer.toString(caller.getCalls()),
                    Integer.toString(caller.getWaiting())));
    return table;
  }

  private static void addTable(List<String> lines, Columns table) {
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
    }
  }

  private static List<String> calls(ListCallsResponse answer) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    if (answer.getCallsCount() == 0) {
      lines.add("no calls");
      return lines;
    }
    Columns table =
        new Columns(
            "REQUEST ID", "AGE", "PHASE", "TOKENS", "CALLER", "MODEL", "BACKEND", "METHOD", "LEFT");
    answer.getCallsList().forEach(call -> add(call, table));
    lines.addAll(table.lines());
    if (answer.getTotal() > answer.getCallsCount()) {
      lines.add("and " + (answer.getTotal() - answer.getCallsCount()) + " younger ones");
    }
    return lines;
  }

  private static void add(Call call, Columns table) {
    table.row(
        call.getRequestId(),
        age(call.getAge()),
        call.getPhase(),
        Integer.toString(call.getTokens()),
        call.getCaller().isEmpty() ? call.getPeer() : call.getCaller(),
        call.getModel(),
        call.getBackend(),
        call.getMethod().substring(call.getMethod().lastIndexOf('/') + 1),
        call.hasTimeLeft() ? age(call.getTimeLeft()) : "");
  }

  private static String number(double figure) {
    return Long.toString(Math.round(figure));
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }

  private static String age(Duration duration) {
    return duration.getSeconds() < 60
        ? String.format(Locale.ROOT, "%.1fs", duration.getSeconds() + duration.getNanos() / 1e9)
        : age(duration.getSeconds());
  }

  /** Two units are enough to be woken by. */
  private static String age(long seconds) {
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3_600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds < 86_400
        ? seconds / 3_600 + "h" + seconds % 3_600 / 60 + "m"
        : seconds / 86_400 + "d" + seconds % 86_400 / 3_600 + "h";
  }
}
