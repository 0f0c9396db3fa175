package inferencegateway.call;

import inferencegateway.admission.Asking;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Delta;
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
import inferencegateway.telemetry.Denial;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One call: takes a request through admission to a backend and moves the answer to the caller.
 *
 * <p>Thread: everything runs on the loop that owns both connections. {@link #abandonedBy} and
 * {@link #shutDown} may be called from anywhere, at any time, even after the end, and hop to that
 * loop.
 *
 * <pre>
 *   ADMISSION -run-> QUEUED -place-> CONNECT -sent-> PREFILL -first delta-> DECODE &lt;-> BACKPRESSURE
 *   any -complete, failure, cancel, limit-> ended (once, in {@link #end})
 * </pre>
 */
public final class ActiveCall implements Dispatch.Owner {

  /**
   * A client's timer goes off about when ours does, and its reset may come first: so close to the
   * deadline it is no cancel.
   */
  private static final long DEADLINE_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int CHARS_A_TOKEN = 4;

  private final CallInfo info;
  private final AnswerSink sink;
  private final Calls calls;
  private final CallLoop loop;
  private final Flow flow;
  private final Silence silence;
  private final CallClock clock = new CallClock();
  private final CallCap cap;
  private final Dispatch dispatch;

  private Phase phase = Phase.ADMISSION;
  private boolean ended;
  private boolean streamClosed;
  private @Nullable ChatRequest request;
  private CallLoop.@Nullable Timer stall;
  private int deltas;
  private long collectedBytes;
  private long promptChars;

  ActiveCall(CallInfo info, AnswerSink sink, Calls calls) {
    this.info = info;
    this.sink = sink;
    this.calls = calls;
    this.loop = info.loop();
    this.flow = new Flow(sink, new Throttle());
    this.silence = new Silence(loop, this::silent);
    this.dispatch = new Dispatch(info, calls, this);
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
    cap.shorten(checked.timeLimits());
    Routes.Choice choice = calls.routes().choose(checked.model(), info.requestId(), info.session());
    if (choice instanceof Routes.Choice.Found found && !mayUse(found.trip().name())) {
      deny(found.trip().name());
    } else if (choice instanceof Routes.Choice.Found found) {
      queue(found.trip(), checked.withModel(found.trip().name()));
    } else if (choice instanceof Routes.Choice.Refused refused) {
      fail(refused.failure());
    }
  }

  private boolean mayUse(String model) {
    return info.caller().mayUse(model);
  }

  private void deny(String model) {
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
                ""));
    String what = model.isEmpty() ? "a model that it does not name" : "model " + model;
    fail(Failure.of(Reason.PERMISSION_DENIED, "caller " + name + " may not use " + what));
  }

  /** The request cannot be served. */
  public void reject(Failure failure) {
    fail(failure);
  }

  /** The transport would take more. */
  public void ready() {
    if (!ended) {
      flow.ready();
    }
  }

  /** The caller's stream is gone from the transport, with or without our doing. */
  public void streamClosed() {
    streamClosed = true;
    cap.stop();
    if (!ended) {
      end(new Outcome.Abandoned(causeOf(info.context())));
    }
  }

  /** Ends the call because the gateway stops. */
  void shutDown() {
    loop.execute(() -> fail(Failure.of(Reason.SHUTTING_DOWN, "the gateway is shutting down")));
  }

  // --- waiting for a place ---

  private void queue(Trip trip, ChatRequest checked) {
    request = checked;
    promptChars = Sizes.chars(checked.messages());
    dispatch.start(trip, checked, isUpstreamStreamed(checked), asking(checked));
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

  @Override
  public boolean isOver() {
    return ended;
  }

  @Override
  public void waiting() {
    phase = Phase.QUEUED;
    clock.queued();
  }

  @Override
  public void fellBackTo(String model) {
    sink.header("x-gateway-model", model);
    sink.header("x-gateway-fallback", "true");
  }

  @Override
  public void granted() {
    phase = Phase.CONNECT;
    clock.granted();
  }

  @Override
  public void refused(Failure failure) {
    fail(failure);
  }

  /** A partial answer needs the pieces, whatever the caller takes. */
  private boolean isUpstreamStreamed(ChatRequest checked) {
    return info.streaming() || checked.timeLimits().partialAnswer();
  }

  // --- the answer ---

  @Override
  public void onSent() {
    if (ended || phase != Phase.CONNECT || request == null) {
      return;
    }
    phase = Phase.PREFILL;
    if (isUpstreamStreamed(request)) {
      silence.watch(shorter(calls.limits().firstTokenTimeout(), request.timeLimits().firstToken()));
    }
  }

  @Override
  public void onHead(AnswerHead head) {
    flow.head(head);
    forgetPrompt(false);
  }

  /** The backend has it; the answer may take long. */
  private void forgetPrompt(boolean hasOutput) {
    if (request != null && dispatch.forgetPrompt(hasOutput)) {
      request = request.withoutMessages();
      InboundBytes.release(info.context());
    }
  }

  @Override
  public void onDelta(Delta delta) {
    if (ended) {
      return;
    }
    long now = System.nanoTime();
    if (deltas++ == 0) {
      firstDelta(now);
    }
    silence.heard(now);
    if (info.streaming() || fits(delta)) {
      flow.offer(delta);
    }
  }

  private void firstDelta(long now) {
    phase = Phase.DECODE;
    forgetPrompt(true);
    silence.heardFirst();
    if (request != null && isUpstreamStreamed(request)) {
      clock.firstToken(now);
      dispatch.firstToken();
      silence.watch(shorter(calls.limits().gapTimeout(), request.timeLimits().gap()));
    }
  }

  /** Pieces that are collected for a unary caller must stay within one message. */
  private boolean fits(Delta delta) {
    collectedBytes += Sizes.utf8(delta.text()) + Sizes.utf8(delta.reasoning());
    if (collectedBytes <= calls.maxResponseBytes()) {
      return true;
    }
    fail(Sizes.responseTooLarge(calls.maxResponseBytes()));
    return false;
  }

  @Override
  public void onBatchEnd() {
    if (!ended) {
      flow.batchEnded();
    }
  }

  @Override
  public void onCompleted(Finish finish, @Nullable Usage usage) {
    dispatch.completed();
    end(new Outcome.Completed(finish, usage != null ? usage : Usage.counted(deltas)));
  }

  @Override
  public void onFailed(Failure failure) {
    dispatch.failed(failure.reason());
    if (!goesOnAfter(failure.reason())) {
      fail(dispatch.explained(failure));
    }
  }

  /** Before any output, another backend or model may do what this one did not. */
  private boolean goesOnAfter(Reason why) {
    Deadline deadline = info.context().getDeadline();
    if (ended || deltas > 0 || (deadline != null && deadline.isExpired())) {
      return false;
    }
    silence.stop();
    return dispatch.goesOnAfter(why);
  }

  /** Turns the backend's tap. */
  private final class Throttle implements Flow.Source {
    @Override
    public void pause() {
      phase = Phase.BACKPRESSURE;
      silence.stop();
      callerMoved();
      dispatch.pause();
    }

    @Override
    public void callerMoved() {
      stopStall();
      stall = loop.schedule(calls.limits().slowCallerStall(), ActiveCall.this::stalled);
    }

    @Override
    public void resume() {
      phase = Phase.DECODE;
      stopStall();
      if (request != null) {
        silence.watch(shorter(calls.limits().gapTimeout(), request.timeLimits().gap()));
      }
      dispatch.resume();
    }
  }

  // --- limits ---

  private void silent() {
    Backend at = dispatch.backend();
    if (at != null) {
      at.silentSince(silence.since());
    }
    if (wantsPartial()) {
      end(new Outcome.Completed(Finish.TIME_LIMIT, Usage.counted(deltas)));
    } else if (deltas == 0) {
      if (!goesOnAfter(Reason.FIRST_TOKEN_TIMEOUT)) {
        fail(Failure.of(Reason.FIRST_TOKEN_TIMEOUT, "the backend sent no first token in time"));
      }
    } else {
      fail(Failure.of(Reason.INTER_TOKEN_TIMEOUT, "the backend stopped sending tokens"));
    }
  }

  /** Nothing has come from that backend for anybody. From the watchdog's thread. */
  void stalledAt(Backend backend) {
    loop.execute(
        () -> {
          boolean waits = phase == Phase.PREFILL || phase == Phase.DECODE;
          if (!ended && waits && dispatch.backend() == backend) {
            silence.stop();
            silent();
          }
        });
  }

  private void stalled() {
    end(new Outcome.Abandoned(Outcome.Cause.SLOW_CONSUMER));
  }

  private void capped() {
    if (ended) {
      sink.reset();
    } else if (wantsPartial()) {
      end(new Outcome.Completed(Finish.TIME_LIMIT, Usage.counted(deltas)));
    } else {
      fail(Failure.of(Reason.MAX_CALL_TIME, "the call took longer than its time limit allows"));
    }
  }

  private boolean wantsPartial() {
    return request != null && request.timeLimits().partialAnswer();
  }

  private void stopStall() {
    if (stall != null) {
      stall.cancel();
      stall = null;
    }
  }

  private static Duration shorter(Duration ours, @Nullable Duration theirs) {
    return theirs == null || ours.compareTo(theirs) < 0 ? ours : theirs;
  }

  // --- the end ---

  /**
   * Cancel, deadline or the call's own normal end: the context tells of all three, from any thread.
   */
  private void abandonedBy(Context context) {
    if (loop.isCurrent()) {
      abandon(context);
    } else {
      loop.execute(() -> abandon(context));
    }
  }

  private void abandon(Context context) {
    if (!ended) {
      end(new Outcome.Abandoned(causeOf(context)));
    }
  }

  private static Outcome.Cause causeOf(Context context) {
    Deadline deadline = context.getDeadline();
    boolean late =
        deadline != null && deadline.timeRemaining(TimeUnit.NANOSECONDS) <= DEADLINE_SLACK_NANOS;
    return late || context.cancellationCause() instanceof TimeoutException
        ? Outcome.Cause.DEADLINE
        : Outcome.Cause.CANCELLED;
  }

  private void fail(Failure failure) {
    Deadline deadline = info.context().getDeadline();
    if (deadline != null && deadline.isExpired()) {
      // Two clocks, one deadline: what looks like a fault of the backend may be the caller's own
      // limit, seen first by it.
      end(new Outcome.Abandoned(Outcome.Cause.DEADLINE));
    } else {
      end(new Outcome.Failed(failure));
    }
  }

  private void end(Outcome outcome) {
    if (ended) {
      return;
    }
    ended = true;
    clock.ended();
    silence.stop();
    stopStall();
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
          return deltas == 0 ? failed : charged(failed, Usage.counted(deltas));
        },
        gone -> phase.compareTo(Phase.CONNECT) <= 0 ? gone : charged(gone, Usage.counted(deltas)));
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
    flow.flush();
    sink.complete(flow.head(), done.finish(), done.usage(), timing());
    return done;
  }

  private Outcome tellFailed(Outcome.Failed failed) {
    flow.flush();
    sink.fail(Statuses.of(failed.failure(), info.requestId(), phase, handedOver()));
    return failed;
  }

  /** What was collected for a unary caller has not reached it. */
  private int handedOver() {
    return info.streaming() ? deltas : 0;
  }

  private Outcome tellAbandoned(Outcome.Abandoned gone) {
    if (gone.cause() == Outcome.Cause.SLOW_CONSUMER) {
      sink.reset();
    }
    return gone;
  }

  // --- for the record ---

  CallInfo info() {
    return info;
  }

  /** From any thread. */
  Silence silence() {
    return silence;
  }

  /** Who has the call now; from any thread. */
  @Nullable Backend backend() {
    return dispatch.backend();
  }

  String backendName() {
    return dispatch.backendName();
  }

  Phase phase() {
    return phase;
  }

  int deltas() {
    return deltas;
  }

  String model() {
    return dispatch.model();
  }

  CallTiming timing() {
    return clock.timing();
  }

  long pausedNanos() {
    return flow.pausedNanos(System.nanoTime());
  }

  Exchange.ConnectionUse connectionUse() {
    return dispatch.connectionUse();
  }
}
