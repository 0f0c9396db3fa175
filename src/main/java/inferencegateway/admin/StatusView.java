package inferencegateway.admin;

import com.google.protobuf.Timestamp;
import inferencegateway.call.LiveCall;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.load.LoadMeter;
import inferencegateway.proto.admin.v1.CallerShare;
import inferencegateway.proto.admin.v1.Ended;
import inferencegateway.proto.admin.v1.EngineLoad;
import inferencegateway.proto.admin.v1.Queue;
import inferencegateway.proto.admin.v1.StatusResponse;
import inferencegateway.route.Backend;
import inferencegateway.route.Lately;
import inferencegateway.telemetry.CallOutcome;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** The gateway as a whole, in the words of the admin service. */
final class StatusView {

  private static final int MOST_ROWS = 20;
  private static final int MOST_MODELS = 10;

  private StatusView() {}

  static StatusResponse of(Watched watched) {
    List<LiveCall> calls = watched.calls().live().toList();
    StatusResponse.Builder view =
        StatusResponse.newBuilder()
            .setVersion(watched.version())
            .setStarted(Timestamp.newBuilder().setSeconds(watched.started().getEpochSecond()))
            .setReady(watched.readiness().isReady())
            .addAllNotReadyBecause(watched.readiness().missing())
            .setCalls(calls.size())
            .setWaiting(watched.gate().waiting())
            .setWaitingLimit(watched.waitingLimit())
            .setConnections(watched.connections().getAsInt())
            .setConnectionsLimit(watched.connectionsLimit());
    addHeap(view);
    watched.routes().backends().stream().map(StatusView::backend).forEach(view::addBackends);
    queues(calls).forEach(view::addQueues);
    callers(calls).forEach(view::addCallers);
    ended(watched.tally()).forEach(view::addEnded);
    LoadMeter load = watched.load();
    if (load != null) {
      view.setUtilization(load.utilization());
    }
    return view.build();
  }

  private static void addHeap(StatusResponse.Builder view) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    view.setHeapUsedBytes(heap.getUsed()).setHeapMaxBytes(heap.getMax());
  }

  private static inferencegateway.proto.admin.v1.Backend backend(Backend backend) {
    inferencegateway.proto.admin.v1.Backend.Builder view =
        inferencegateway.proto.admin.v1.Backend.newBuilder()
            .setName(backend.name())
            .setUrl(backend.config().url().text())
            .setState(state(backend.state()))
            .setRunning(backend.capacity().running())
            .setLimit(backend.capacity().limit());
    view.setLately(lately(backend.lately()));
    backend.models().stream().limit(MOST_MODELS).forEach(view::addModels);
    inferencegateway.upstream.EngineLoad said = backend.said();
    if (said != null) {
      view.setEngine(engine(said));
    }
    return view.build();
  }

  private static inferencegateway.proto.admin.v1.Lately lately(Lately.Seen seen) {
    Reason last = seen.lastFailure();
    return inferencegateway.proto.admin.v1.Lately.newBuilder()
        .setAttempts(seen.attempts())
        .setFailed(seen.failed())
        .setLate(seen.late())
        .setLastFailure(last == null ? "" : last.name())
        .build();
  }

  private static EngineLoad engine(inferencegateway.upstream.EngineLoad said) {
    EngineLoad.Builder view =
        EngineLoad.newBuilder().setRunning(said.running()).setWaiting(said.waiting());
    if (said.cache() >= 0) {
      view.setKvCacheUsage(said.cache());
    }
    return view.build();
  }

  private static inferencegateway.proto.admin.v1.Backend.State state(Backend.State state) {
    return switch (state) {
      case UNKNOWN -> inferencegateway.proto.admin.v1.Backend.State.STATE_UNKNOWN;
      case UP -> inferencegateway.proto.admin.v1.Backend.State.STATE_UP;
      case DOWN -> inferencegateway.proto.admin.v1.Backend.State.STATE_DOWN;
      case PUT_ASIDE -> inferencegateway.proto.admin.v1.Backend.State.STATE_PUT_ASIDE;
      case STALLED -> inferencegateway.proto.admin.v1.Backend.State.STATE_STALLED;
      case RETIRED -> inferencegateway.proto.admin.v1.Backend.State.STATE_RETIRED;
    };
  }

  /** Of one model, or one caller. */
  private static final class Share {
    private int calls;
    private int waiting;
    private long oldestNanos;

    void add(LiveCall call) {
      calls++;
      if (call.phase() == Phase.QUEUED) {
        waiting++;
        oldestNanos = Math.max(oldestNanos, call.ageNanos());
      }
    }
  }

  private static Stream<Queue> queues(List<LiveCall> calls) {
    Map<String, Share> byModel = new HashMap<>();
    for (LiveCall call : calls) {
      byModel.computeIfAbsent(CallView.model(call), name -> new Share()).add(call);
    }
    return byModel.entrySet().stream()
        .filter(row -> row.getValue().waiting > 0)
        .sorted(most(row -> row.getValue().waiting))
        .limit(MOST_ROWS)
        .map(
            row ->
                Queue.newBuilder()
                    .setModel(row.getKey())
                    .setWaiting(row.getValue().waiting)
                    .setOldest(CallView.duration(row.getValue().oldestNanos))
                    .build());
  }

  private static Stream<CallerShare> callers(List<LiveCall> calls) {
    Map<String, Share> byCaller = new HashMap<>();
    for (LiveCall call : calls) {
      byCaller.computeIfAbsent(call.callerOrHost(), name -> new Share()).add(call);
    }
    return byCaller.entrySet().stream()
        .sorted(most(row -> row.getValue().calls))
        .limit(MOST_ROWS)
        .map(
            row ->
                CallerShare.newBuilder()
                    .setCaller(row.getKey())
                    .setCalls(row.getValue().calls)
                    .setWaiting(row.getValue().waiting)
                    .build());
  }

  /** The most first; by name where they are equal. */
  private static Comparator<Map.Entry<String, Share>> most(
      ToIntFunction<Map.Entry<String, Share>> figure) {
    return Comparator.comparingInt(figure).reversed().thenComparing(Map.Entry::getKey);
  }

  private static Stream<Ended> ended(Tally tally) {
    return Arrays.stream(CallOutcome.values())
        .filter(outcome -> tally.of(outcome) > 0)
        .map(
            outcome ->
                Ended.newBuilder().setOutcome(outcome.word()).setCalls(tally.of(outcome)).build());
  }
}
