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

  /** Pieces that the caller gets. */
  private int deltas;

  /** Pieces that the present attempt has brought. */
  private int attemptDeltas;

  private @Nullable Rescue rescue;
  private int rescued;
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
    if (isRescue() && rescued == 0) {
      rescued = 1;
      sink.trailer("x-gateway-rescued", "1");
    }
  }

  @Override
  public void refused(Failure failure) {
    fail(told(failure));
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
    if (!isRescue()) { // The caller has one answer, under its first name.
      flow.head(head);
    }
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
    if (attemptDeltas++ == 0) {
      firstDelta(now);
    }
    silence.heard(now);
    if (isRescue()) {
      join(delta);
    } else {
      remember(delta);
      handOver(delta);
    }
  }

  private void handOver(Delta delta) {
    deltas++;
    if (info.streaming() || fits(delta)) {
      flow.offer(delta);
    }
  }

  private void firstDelta(long now) {
    phase = Phase.DECODE;
    if (!isRescue() && dispatch.mayRescue()) {
      rescue = new Rescue(calls.maxResponseBytes());
    }
    forgetPrompt(true);
    silence.heardFirst();
    if (request != null && isUpstreamStreamed(request)) {
      if (deltas == 0) {
        clock.firstToken(now);
      }
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
    end(new Outcome.Completed(finish, total(usage)));
  }

  private Usage total(@Nullable Usage usage) {
    if (rescue != null && rescue.isUnderWay()) {
      return rescue.sum(usage, attemptDeltas);
    }
    return usage != null ? usage : Usage.counted(deltas);
  }

  @Override
  public void onFailed(Failure failure) {
    dispatch.failed(failure.reason());
    boolean goesOn =
        attemptDeltas == 0
            ? goesOnAfter(failure.reason())
            : dispatch.wasCutOff() && isRescuedFrom(failure);
    if (!goesOn) {
      fail(told(dispatch.explained(failure)));
    }
  }

  /** Before any output, another backend or model may do what this one did not. */
  private boolean goesOnAfter(Reason why) {
    if (ended || attemptDeltas > 0 || isLate()) {
      return false;
    }
    silence.stop();
    return dispatch.goesOnAfter(why);
  }

  // --- an answer whose backend died ---

  private boolean isRescue() {
    return rescue != null && rescue.isUnderWay();
  }

  private void remember(Delta delta) {
    if (rescue == null || rescue.isOut()) {
      return;
    }
    rescue.said(delta);
    if (rescue.isOut()) {
      dispatch.rescueIsOut();
      forgetPrompt(true);
    }
  }

  /** The next piece of the second part. One that begins to think would only confuse. */
  private void join(Delta delta) {
    String text = rescue == null ? delta.text() : rescue.join(delta.text());
    if (!delta.reasoning().isEmpty()) {
      attemptDeltas = 0;
      fail(
          told(
              Failure.of(
                  Reason.UPSTREAM_PROTOCOL,
                  "the backend reasons where it should go on with text")));
    } else if (!text.isEmpty()) {
      handOver(Delta.text(text));
    }
  }

  /** Has another backend go on with the answer, where that is allowed and possible. */
  private boolean isRescuedFrom(Failure failure) {
    if (ended || rescue == null || request == null || isLate()) {
      return false;
    }
    ChatRequest rest = rescue.rest(request, dispatch.usage());
    Trip way = rest == null ? null : dispatch.wayToRescue();
    if (rest == null || way == null) {
      return false;
    }
    rescue.begins(dispatch.explained(failure));
    attemptDeltas = 0;
    silence.startOver();
    stopStall();
    flow.newSource();
    dispatch.carryOn(way, rest);
    return true;
  }

  /** A rescue that brought nothing is not what went wrong. */
  private Failure told(Failure failure) {
    return rescue != null && rescue.isUnderWay() && attemptDeltas == 0
        ? rescue.cameToNothing(failure)
        : failure;
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
    } else if (attemptDeltas == 0) {
      if (!goesOnAfter(Reason.FIRST_TOKEN_TIMEOUT)) {
        fail(
            told(
                Failure.of(Reason.FIRST_TOKEN_TIMEOUT, "the backend sent no first token in time")));
      }
    } else {
      silentBetweenTokens(at);
    }
  }

  /**
   * Silence alone is no death: a busy backend is silent too, and a limit of the caller's is a
   * promise. What others have found dead, though, will not speak again.
   */
  private void silentBetweenTokens(@Nullable Backend at) {
    Failure gap = Failure.of(Reason.INTER_TOKEN_TIMEOUT, "the backend stopped sending tokens");
    Duration asked = request == null ? null : request.timeLimits().gap();
    boolean ours = asked == null || calls.limits().gapTimeout().compareTo(asked) <= 0;
    boolean dead = at != null && !at.isUp();
    if (!(ours && dead && isRescuedFrom(gap))) {
      fail(gap);
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

  private boolean isLate() {
    Deadline deadline = info.context().getDeadline();
    return deadline != null && deadline.isExpired();
  }

  private void fail(Failure failure) {
    if (isLate()) {
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

  /** How often another backend went on with the answer. */
  int rescued() {
    return rescued;
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
