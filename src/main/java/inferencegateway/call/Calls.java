package inferencegateway.call;

import inferencegateway.admission.Gate;
import inferencegateway.config.CallConfig;
import inferencegateway.route.RetryBudget;
import inferencegateway.route.Routes;
import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.AuditLog;
import inferencegateway.telemetry.CallListener;
import inferencegateway.telemetry.CallRecord;
import inferencegateway.telemetry.Tracing;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** All calls that run now, on every loop. Thread-safe. */
public final class Calls {

  private final Routes routes;
  private final Gate gate;
  private final CallConfig limits;
  private final int maxResponseBytes;
  private final CallListener listener;
  private final AuditLog audit;
  private final Tracing tracing;
  private final RetryBudget retryBudget = new RetryBudget();
  private final Set<ActiveCall> running = ConcurrentHashMap.newKeySet();

  public Calls(
      Routes routes,
      Gate gate,
      CallConfig limits,
      int maxResponseBytes,
      CallListener listener,
      AuditLog audit,
      Tracing tracing) {
    this.routes = routes;
    this.gate = gate;
    this.limits = limits;
    this.maxResponseBytes = maxResponseBytes;
    this.listener = listener;
    this.audit = audit;
    this.tracing = tracing;
  }

  /** Takes up a call whose headers have arrived. On the call's loop. */
  public ActiveCall arrived(CallInfo info, AnswerSink sink) {
    ActiveCall call = new ActiveCall(info, sink, this);
    running.add(call);
    call.arrive();
    return call;
  }

  /** Ends every call with SHUTTING_DOWN, each on its own loop. */
  public void shutDown() {
    running.forEach(ActiveCall::shutDown);
  }

  /**
   * Ends the calls with that request id with CANCELLED_BY_OPERATOR, each on its own loop.
   *
   * @return how many have it
   */
  public int cancel(String requestId) {
    int found = 0;
    for (ActiveCall call : running) {
      if (call.info().requestId().equals(requestId)) {
        call.cancelByOperator();
        found++;
      }
    }
    return found;
  }

  /** Those that run or wait now, in no order; from any thread. */
  public Stream<LiveCall> live() {
    return running.stream().map(ActiveCall::live);
  }

  /** How many calls run now. */
  public int running() {
    return running.size();
  }

  /** Begins the trace of each call. */
  public Tracing tracing() {
    return tracing;
  }

  Routes routes() {
    return routes;
  }

  RetryBudget retryBudget() {
    return retryBudget;
  }

  /** Those that run now; changes under the reader. */
  Iterable<ActiveCall> all() {
    return running;
  }

  Gate gate() {
    return gate;
  }

  CallConfig limits() {
    return limits;
  }

  int maxResponseBytes() {
    return maxResponseBytes;
  }

  AuditLog audit() {
    return audit;
  }

  void attemptOver(AttemptRecord attempt) {
    listener.attempted(attempt);
  }

  void ended(ActiveCall call, Outcome outcome) {
    running.remove(call);
    CallRecord record = Records.of(call, outcome);
    call.attemptOver(record.outcome(), outcome.reason());
    call.info().trace().ended(record);
    listener.over(record);
    if (outcome instanceof Outcome.Abandoned gone) {
      call.whenUpstreamClosed(
          () -> listener.upstreamClosed(record, System.nanoTime() - gone.seenAt()));
    }
  }
}
