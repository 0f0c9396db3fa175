package inferencegateway.call;

import inferencegateway.admission.Asking;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Usage;
import inferencegateway.http.CallLoop;
import inferencegateway.http.Exchange;
import inferencegateway.route.Backend;
import inferencegateway.route.Routes;
import inferencegateway.route.Trip;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.Denial;
import inferencegateway.telemetry.TraceContext;
import io.grpc.Context;
import io.grpc.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One call, from its headers to its single end. What happens in between is {@link Answering}.
 *
 * <p>Thread: everything runs on the loop that owns both connections. {@link #abandonedBy} and
 * {@link #shutDown} may be called from anywhere, at any time, even after the end, and hop to that
 * loop.
 *
 * <pre>
 *   arrive -run-> answering      any -complete, failure, cancel, limit-> ended (once, in {@link #end})
 * </pre>
 */
public final class ActiveCall {

  private static final int CHARS_A_TOKEN = 4;

  private final CallInfo info;
  private final AnswerSink sink;
  private final Calls calls;
  private final CallLoop loop;
  private final CallClock clock = new CallClock();
  private final CallCap cap;
  private final Answering answering;
  private final Dispatch dispatch;

  /** The model, in the caller's word; empty: it leaves that to the gateway. */
  private String asked = "";

  private boolean ended;
  private boolean streamClosed;
  private long promptChars;

  ActiveCall(CallInfo info, AnswerSink sink, Calls calls) {
    this.info = info;
    this.sink = sink;
    this.calls = calls;
    this.loop = info.loop();
    this.answering = new Answering(info, sink, calls, clock, this);
    this.dispatch = answering.dispatch();
    this.cap = new CallCap(loop, calls.limits(), info.context(), clock, this::capped);
  }

  /** The headers are in. From here on the call has an end, whether a request ever comes or not. */
  void arrive() {
    info.context().addListener(this::abandonedBy, Runnable::run);
    // Told from inside the library's reading of a message: answered when that is done.
    InboundBytes.watch(info.context(), () -> loop.execute(this::tooMuchMemory));
    cap.start();
  }

  private void tooMuchMemory() {
    fail(
        Failure.of(
            Reason.MEMORY_PRESSURE,
            "the gateway holds as many large requests as it can; call again"));
  }

  /** The request is whole and checked. */
  public void run(ChatRequest checked) {
    if (ended) {
      return;
    }
    asked = checked.model();
    cap.shorten(checked.timeLimits());
    Routes.Choice choice =
        calls.routes().choose(checked.model(), info.requestId(), info.session(), this::mayUse);
    if (choice instanceof Routes.Choice.Found found
        && !mayUse(found.trip().name())
        && !mayUseAlias(checked.model())) {
      deny(checked.model().isEmpty() ? found.trip().name() : checked.model());
    } else if (choice instanceof Routes.Choice.Found found) {
      queue(found.trip(), checked.withModel(found.trip().name()));
    } else if (choice instanceof Routes.Choice.Refused refused) {
      fail(refused.failure());
    }
  }

  private boolean mayUse(String model) {
    return info.caller().mayUse(model);
  }

  /** What the routes call otherwise was asked for by this name, and may be listed by it. */
  private boolean mayUseAlias(String asked) {
    return !asked.isEmpty() && mayUse(asked);
  }

  private void deny(String model) {
    asked = model;
    String name = info.caller().name();
    calls
        .audit()
        .denied(
            new Denial(
                Reason.PERMISSION_DENIED,
                info.requestId(),
                name,
                "",
                info.peer(),
                info.method(),
                model,
                "",
                info.trace().context()));
    String what = model.isEmpty() ? "a model that it does not name" : "model " + model;
    fail(Failure.of(Reason.PERMISSION_DENIED, "caller " + name + " may not use " + what));
  }

  /** Says which call a line is about. */
  public LoggingEventBuilder log(LoggingEventBuilder line) {
    return TraceContext.addTo(
        line.addKeyValue("request_id", info.requestId()), info.trace().context());
  }

  /** The request cannot be served. */
  public void reject(Failure failure) {
    fail(failure);
  }

  /** The transport would take more. */
  public void ready() {
    if (!ended) {
      answering.ready();
    }
  }

  /** The caller's stream is gone from the transport, with or without our doing. */
  public void streamClosed() {
    streamClosed = true;
    cap.stop();
    if (!ended) {
      end(new Outcome.Abandoned(causeOf(info.context()), System.nanoTime()));
    }
  }

  /** Ends the call because the gateway stops. */
  void shutDown() {
    loop.execute(() -> fail(Failure.of(Reason.SHUTTING_DOWN, "the gateway is shutting down")));
  }

  /** Ends the call because somebody wants it ended. From any thread. */
  void cancelByOperator() {
    loop.execute(
        () ->
            fail(
                Failure.of(
                    Reason.CANCELLED_BY_OPERATOR,
                    "an operator of the gateway has ended this call; do not repeat it")));
  }

  private void queue(Trip trip, ChatRequest checked) {
    promptChars = Sizes.chars(checked.messages());
    answering.begin(trip, checked, asking(checked));
  }

  private Asking asking(ChatRequest checked) {
    Deadline deadline = info.context().getDeadline();
    long left = deadline == null ? 0 : deadline.timeRemaining(TimeUnit.NANOSECONDS);
    return new Asking(
        info.caller().share(),
        info.caller().limits(),
        checked.model(),
        promptChars,
        System.nanoTime() + left,
        deadline != null,
        info.retried());
  }

  private void capped() {
    if (ended) {
      sink.reset();
    } else if (answering.wantsPartial()) {
      end(new Outcome.Completed(Finish.TIME_LIMIT, answering.counted()));
    } else if (cap.isDeadline()) {
      end(new Outcome.Abandoned(Outcome.Cause.DEADLINE, System.nanoTime()));
    } else {
      fail(Failure.of(Reason.MAX_CALL_TIME, "the call took longer than its time limit allows"));
    }
  }

  // --- the end ---

  /**
   * Cancel, deadline or the call's own normal end: the context tells of all three, from any thread.
   */
  private void abandonedBy(Context context) {
    long seenAt = System.nanoTime();
    if (loop.isCurrent()) {
      abandon(context, seenAt);
    } else {
      loop.execute(() -> abandon(context, seenAt));
    }
  }

  private void abandon(Context context, long seenAt) {
    if (!ended) {
      end(new Outcome.Abandoned(causeOf(context), seenAt));
    }
  }

  private Outcome.Cause causeOf(Context context) {
    return isDue(context.getDeadline()) || context.cancellationCause() instanceof TimeoutException
        ? Outcome.Cause.DEADLINE
        : Outcome.Cause.CANCELLED;
  }

  private boolean isDue(@Nullable Deadline deadline) {
    if (deadline == null) {
      return false;
    }
    long left = deadline.timeRemaining(TimeUnit.NANOSECONDS);
    return DeadlineSlack.isDue(left, clock.sinceArrival() + left);
  }

  boolean isOver() {
    return ended;
  }

  /** Whether the caller's deadline has passed. */
  boolean isLate() {
    Deadline deadline = info.context().getDeadline();
    return deadline != null && deadline.isExpired();
  }

  void fail(Failure failure) {
    if (isLate()) {
      // Two clocks, one deadline: what looks like a fault of the backend may be the caller's own
      // limit, seen first by it.
      end(new Outcome.Abandoned(Outcome.Cause.DEADLINE, System.nanoTime()));
    } else {
      end(new Outcome.Failed(failure));
    }
  }

  /** The only end. Only the first counts. */
  void end(Outcome outcome) {
    if (ended) {
      return;
    }
    ended = true;
    clock.ended();
    answering.stopWaiting();
    settle(outcome);
    dispatch.stop();
    tell(outcome);
    calls.ended(this, outcome);
    if (streamClosed || info.context().isCancelled()) {
      cap.stop();
    } else {
      cap.linger();
    }
  }

  /** What admission is to know, and to charge. */
  private void settle(Outcome outcome) {
    outcome.fold(
        done -> charged(done, done.usage()),
        failed -> {
          if (Verdict.saysNoRoom(failed.failure().reason())) {
            dispatch.pushedBack();
          }
          return deltas() == 0 ? failed : charged(failed, answering.counted());
        },
        gone ->
            deltas() == 0 && phase().compareTo(Phase.CONNECT) <= 0
                ? gone
                : charged(gone, answering.counted()));
  }

  /** Where the backend did not count the prompt, it is taken for four characters a token. */
  private Outcome charged(Outcome outcome, Usage usage) {
    long input = usage.exact() ? usage.input() : promptChars / CHARS_A_TOKEN;
    dispatch.charge(input + usage.output());
    return outcome;
  }

  private void tell(Outcome outcome) {
    outcome.fold(this::tellCompleted, this::tellFailed, this::tellAbandoned);
  }

  private Outcome tellCompleted(Outcome.Completed done) {
    answering.flow().flush();
    sink.complete(answering.flow().head(), done.finish(), done.usage(), timing());
    return done;
  }

  private Outcome tellFailed(Outcome.Failed failed) {
    answering.flow().flush();
    sink.fail(Statuses.of(failed.failure(), info.requestId(), phase(), handedOver()));
    return failed;
  }

  /** What was collected for a unary caller has not reached it. */
  private int handedOver() {
    return info.streaming() ? deltas() : 0;
  }

  private Outcome tellAbandoned(Outcome.Abandoned gone) {
    if (gone.cause() == Outcome.Cause.SLOW_CONSUMER) {
      sink.reset();
    } else if (gone.cause() == Outcome.Cause.DEADLINE && isHeard()) {
      tellFailed(
          new Outcome.Failed(
              Failure.of(Reason.CLIENT_DEADLINE, "the call's deadline has passed at the gateway")));
    }
    return gone;
  }

  /** Whether the library has not ended the stream yet. */
  private boolean isHeard() {
    return !streamClosed && !info.context().isCancelled();
  }

  // --- for the record ---

  CallInfo info() {
    return info;
  }

  /** From any thread. */
  Silence silence() {
    return answering.silence();
  }

  /** Nothing has come from that backend for anybody. From the watchdog's thread. */
  void stalledAt(Backend backend) {
    answering.stalledAt(backend);
  }

  /** Who has the call now; from any thread. */
  @Nullable Backend backend() {
    return dispatch.backend();
  }

  String backendName() {
    return dispatch.backendName();
  }

  /** What it is about now; from any thread, and then a moment old. */
  LiveCall live() {
    Backend at = backend();
    Deadline deadline = info.context().getDeadline();
    return new LiveCall(
        info.requestId(),
        info.method(),
        info.caller().name(),
        info.peer(),
        model(),
        at == null ? "" : at.name(),
        phase(),
        clock.sinceArrival(),
        deadline == null ? null : deadline.timeRemaining(TimeUnit.NANOSECONDS),
        deltas());
  }

  Phase phase() {
    return answering.phase();
  }

  int deltas() {
    return answering.deltas();
  }

  /** How often another backend went on with the answer. */
  int rescued() {
    return answering.rescued();
  }

  /** The caller's own word, else what it was given; empty when it has not come to that. */
  String model() {
    return asked.isEmpty() ? dispatch.model() : asked;
  }

  /** The backend's word for it; empty when it was sent to none. */
  String sentModel() {
    return dispatch.sentModel();
  }

  /** Whether the model is one that the operator or a backend has named. */
  boolean isOffered() {
    return calls.routes().knows(model());
  }

  CallTiming timing() {
    return clock.timing();
  }

  long pausedNanos() {
    return answering.flow().pausedNanos(System.nanoTime());
  }

  /** The last attempt is over with the call, where it was not before. */
  void attemptOver(CallOutcome outcome, @Nullable Reason reason) {
    dispatch.attemptOver(outcome, reason);
  }

  /** How often it was sent to another backend before any output. */
  int moved() {
    return dispatch.moved();
  }

  /** How often it went on to another model. */
  int fallbacks() {
    return dispatch.fallbacks();
  }

  /** After the end. Runs on the loop, once, where the backend was left before its answer's end. */
  void whenUpstreamClosed(Runnable then) {
    dispatch.whenClosed(then);
  }

  Exchange.ConnectionUse connectionUse() {
    return dispatch.connectionUse();
  }
}
