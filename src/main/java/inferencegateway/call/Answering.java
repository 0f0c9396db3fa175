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
import inferencegateway.route.Backend;
import inferencegateway.route.Trip;
import org.jspecify.annotations.Nullable;

/**
 * The answer of one call: waited for, held back for a slow caller, gone on with elsewhere when its
 * backend dies. What ends it is the call's to say.
 *
 * <p>Thread: the call's loop; {@link #stalledAt} hops to it.
 *
 * <pre>
 *   ADMISSION -begin-> QUEUED -place-> CONNECT -sent-> PREFILL -first delta-> DECODE &lt;-> BACKPRESSURE
 *   failed before output, rescued-> QUEUED
 * </pre>
 */
final class Answering implements Dispatch.Owner {

  private final CallInfo info;
  private final AnswerSink sink;
  private final Calls calls;
  private final CallClock clock;
  private final ActiveCall call;
  private final Flow flow;
  private final Patience patience;
  private final Dispatch dispatch;

  private Phase phase = Phase.ADMISSION;
  private @Nullable ChatRequest request;

  /** Pieces that the caller gets. */
  private int deltas;

  /** Pieces that the present attempt has brought. */
  private int attemptDeltas;

  private @Nullable Rescue rescue;
  private int rescued;
  private long collectedBytes;

  Answering(CallInfo info, AnswerSink sink, Calls calls, CallClock clock, ActiveCall call) {
    this.info = info;
    this.sink = sink;
    this.calls = calls;
    this.clock = clock;
    this.call = call;
    this.flow = new Flow(sink, new Throttle());
    this.patience = new Patience(info.loop(), calls.limits(), this::silent, this::stalled);
    this.dispatch = new Dispatch(info, calls, this);
  }

  /** To be called once. */
  void begin(Trip trip, ChatRequest checked, Asking asking) {
    request = checked;
    patience.follow(checked.timeLimits());
    dispatch.start(trip, checked, isUpstreamStreamed(checked), asking);
  }

  /** A partial answer needs the pieces, whatever the caller takes. */
  private boolean isUpstreamStreamed(ChatRequest checked) {
    return info.streaming() || checked.timeLimits().partialAnswer();
  }

  /** The caller would take more. */
  void ready() {
    flow.ready();
  }

  // --- on the way to a backend ---

  @Override
  public boolean isOver() {
    return call.isOver();
  }

  @Override
  public void waiting() {
    phase = Phase.QUEUED;
    clock.queued();
  }

  @Override
  public void turnedAway() {
    clock.turnedAway();
  }

  @Override
  public boolean isOffered() {
    return call.isOffered();
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
    call.fail(told(failure));
  }

  @Override
  public void onSent() {
    if (isOver() || phase != Phase.CONNECT || request == null) {
      return;
    }
    phase = Phase.PREFILL;
    info.trace().connected(dispatch.connectionUse().reused());
    if (isUpstreamStreamed(request)) {
      clock.sent();
      patience.waitForFirstToken();
    }
  }

  // --- what comes ---

  @Override
  public void onHead(AnswerHead head) {
    info.trace().head(head);
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
    if (isOver()) {
      return;
    }
    long now = System.nanoTime();
    if (attemptDeltas++ == 0) {
      firstDelta(now);
    }
    patience.silence().heard(now);
    if (isRescue()) {
      join(delta);
    } else {
      remember(delta);
      handOver(delta);
    }
  }

  private void firstDelta(long now) {
    phase = Phase.DECODE;
    if (!isRescue() && dispatch.mayRescue()) {
      rescue = new Rescue(calls.maxResponseBytes());
    }
    forgetPrompt(true);
    patience.silence().heardFirst();
    if (request != null && isUpstreamStreamed(request)) {
      if (deltas == 0) {
        clock.firstToken(now);
      }
      dispatch.firstToken();
      info.trace().firstToken();
      patience.waitForNextToken();
    }
  }

  private void handOver(Delta delta) {
    deltas++;
    if (info.streaming() || fits(delta)) {
      flow.offer(delta);
    }
  }

  /** Pieces that are collected for a unary caller must stay within one message. */
  private boolean fits(Delta delta) {
    collectedBytes += Sizes.utf8(delta.text()) + Sizes.utf8(delta.reasoning());
    if (collectedBytes <= calls.maxResponseBytes()) {
      return true;
    }
    call.fail(Sizes.responseTooLarge(calls.maxResponseBytes()));
    return false;
  }

  @Override
  public void onBatchEnd() {
    if (!isOver()) {
      flow.batchEnded();
    }
  }

  @Override
  public void onCompleted(Finish finish, @Nullable Usage usage) {
    info.trace().answered(finish, usage);
    dispatch.completed();
    call.end(new Outcome.Completed(finish, total(usage)));
  }

  private Usage total(@Nullable Usage usage) {
    if (rescue != null && rescue.isUnderWay()) {
      return rescue.sum(usage, attemptDeltas);
    }
    return usage != null ? usage : counted();
  }

  /** What the caller got, counted here. */
  Usage counted() {
    return Usage.counted(deltas);
  }

  @Override
  public void onFailed(Failure failure) {
    dispatch.failed(failure.reason());
    boolean goesOn =
        attemptDeltas == 0
            ? goesOnAfter(failure.reason())
            : dispatch.wasCutOff() && isRescuedFrom(failure);
    if (!goesOn) {
      call.fail(told(dispatch.explained(failure)));
    }
  }

  /** Before any output, another backend or model may do what this one did not. */
  private boolean goesOnAfter(Reason why) {
    if (isOver() || call.isLate()) {
      return false;
    }
    patience.silence().stop();
    return dispatch.goesOnAfter(why);
  }

  /** Turns the backend's tap. */
  private final class Throttle implements Flow.Source {
    @Override
    public void pause() {
      phase = Phase.BACKPRESSURE;
      info.trace().paused();
      patience.silence().stop();
      callerMoved();
      dispatch.pause();
    }

    @Override
    public void callerMoved() {
      patience.waitForCaller();
    }

    @Override
    public void resume() {
      phase = Phase.DECODE;
      info.trace().resumed();
      patience.stopWaitingForCaller();
      patience.waitForNextToken();
      dispatch.resume();
    }
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
      refused(
          Failure.of(
              Reason.UPSTREAM_PROTOCOL, "the backend reasons where it should go on with text"));
    } else if (!text.isEmpty()) {
      handOver(Delta.text(text));
    }
  }

  /** Has another backend go on with the answer, where that is allowed and possible. */
  private boolean isRescuedFrom(Failure failure) {
    if (isOver() || rescue == null || request == null || call.isLate()) {
      return false;
    }
    ChatRequest rest = rescue.rest(request, dispatch.usage());
    Trip way = rest == null ? null : dispatch.wayToRescue();
    if (rest == null || way == null) {
      return false;
    }
    rescue.begins(dispatch.explained(failure));
    attemptDeltas = 0;
    patience.startOver();
    flow.newSource();
    dispatch.carryOn(way, rest, failure.reason());
    return true;
  }

  /** A rescue that brought nothing is not what went wrong. */
  private Failure told(Failure failure) {
    return rescue != null && rescue.isUnderWay() && attemptDeltas == 0
        ? rescue.cameToNothing(failure)
        : failure;
  }

  // --- limits ---

  private void silent() {
    Backend at = dispatch.backend();
    if (at != null) {
      at.silentSince(patience.silence().since());
    }
    if (wantsPartial()) {
      call.end(new Outcome.Completed(Finish.TIME_LIMIT, counted()));
    } else if (attemptDeltas > 0) {
      silentBetweenTokens(at);
    } else if (!goesOnAfter(Reason.FIRST_TOKEN_TIMEOUT)) {
      refused(Failure.of(Reason.FIRST_TOKEN_TIMEOUT, "the backend sent no first token in time"));
    }
  }

  /**
   * Silence alone is no death: a busy backend is silent too, and a limit of the caller's is a
   * promise. What others have found dead, though, will not speak again.
   */
  private void silentBetweenTokens(@Nullable Backend at) {
    Failure gap = Failure.of(Reason.INTER_TOKEN_TIMEOUT, "the backend stopped sending tokens");
    boolean dead = at != null && !at.isUp();
    if (!(patience.isGapOurs() && dead && isRescuedFrom(gap))) {
      call.fail(gap);
    }
  }

  /** Nothing has come from that backend for anybody. From the watchdog's thread. */
  void stalledAt(Backend backend) {
    info.loop()
        .execute(
            () -> {
              boolean waits = phase == Phase.PREFILL || phase == Phase.DECODE;
              if (!isOver() && waits && dispatch.backend() == backend) {
                patience.silence().stop();
                silent();
              }
            });
  }

  private void stalled() {
    call.end(new Outcome.Abandoned(Outcome.Cause.SLOW_CONSUMER, System.nanoTime()));
  }

  /** Whether a limit that passes ends the call with what there is. */
  boolean wantsPartial() {
    return request != null && request.timeLimits().partialAnswer();
  }

  // --- the end, and the record ---

  /** Nothing is waited for any more. The backend is left by {@link Dispatch#stop}. */
  void stopWaiting() {
    patience.stop();
  }

  Flow flow() {
    return flow;
  }

  Dispatch dispatch() {
    return dispatch;
  }

  /** From any thread. */
  Silence silence() {
    return patience.silence();
  }

  @Override
  public Phase phase() {
    return phase;
  }

  int deltas() {
    return deltas;
  }

  /** How often another backend went on with the answer. */
  int rescued() {
    return rescued;
  }
}
