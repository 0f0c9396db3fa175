package inferencegateway.call;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import inferencegateway.admission.Asked;
import inferencegateway.admission.Asking;
import inferencegateway.admission.Capacity;
import inferencegateway.admission.Place;
import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Continuation;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Tracking;
import inferencegateway.chat.Usage;
import inferencegateway.http.Exchange;
import inferencegateway.route.Backend;
import inferencegateway.route.Trip;
import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.upstream.UpstreamCall;
import org.jspecify.annotations.Nullable;

/**
 * Brings one call to a backend: waits for a place, sends, and goes on to another backend, or to
 * another model, where the first has done no work.
 *
 * <p>Thread: the call's loop, but for {@link #backend}.
 */
final class Dispatch {

  /** What it needs of its call. */
  interface Owner extends AnswerListener {
    boolean isOver();

    /** The call waits for a place; once for each attempt. */
    void waiting();

    /** There is a place; the request goes out. */
    void granted();

    /** There is none, and no waiting for one either; {@link #refused} follows. */
    void turnedAway();

    /** There is none. */
    void refused(Failure failure);

    /** Where the call is now. */
    Phase phase();

    /** Whether the model is one that the operator or a backend has named. */
    boolean isOffered();

    /** Another model than the one asked for is to answer. */
    void fellBackTo(String model);
  }

  private final CallInfo info;
  private final Calls calls;
  private final Owner owner;

  private @Nullable Trip trip;
  private @Nullable ChatRequest request;
  private @Nullable Asking asking;
  private boolean streamed;
  private String sentModel = "";
  private @Nullable Place place;

  /** The last place that was held; stays when the attempt is over. */
  private @Nullable Place payer;

  private @Nullable UpstreamCall upstream;
  private boolean upstreamDone;
  private boolean rescueIsOut;
  private int earlierAttempts;
  private int moved;
  private int fallbacks;

  /** Written on the loop, read by the watchdog. */
  private volatile @Nullable Backend backend;

  /** The last one that was sent to; stays when the attempt is over. */
  private String backendName = "";

  /** Whose attempt has not been counted yet. */
  private @Nullable Backend attempting;

  Dispatch(CallInfo info, Calls calls, Owner owner) {
    this.info = info;
    this.calls = calls;
    this.owner = owner;
  }

  /**
   * @param checked with the messages; each backend's own name of the model is put in here
   * @param upstreamStreamed whether the backend is to send the answer as it grows
   */
  void start(Trip chosen, ChatRequest checked, boolean upstreamStreamed, Asking what) {
    trip = chosen;
    request = checked;
    streamed = upstreamStreamed;
    asking = what;
    chosen.begun();
    calls.retryBudget().called();
    if (chosen.isDown()) {
      fallBack(Reason.NOT_READY); // Or try it after all: probes may be wrong.
    }
    ask();
  }

  private void ask() {
    if (trip == null || asking == null) {
      return;
    }
    owner.waiting();
    Asked asked = calls.gate().ask(asking, trip, () -> info.loop().execute(this::granted));
    if (asked instanceof Place waiting) {
      place = waiting;
      granted();
    } else if (asked instanceof Asked.Refused refused) {
      owner.turnedAway();
      refused(refused.failure());
    }
  }

  private void refused(Failure failure) {
    if (fallBack(failure.reason())) {
      ask();
    } else {
      owner.refused(failure);
    }
  }

  /**
   * May come twice (granted between asking and looking) and after the end; only the first that
   * finds a place counts.
   */
  private void granted() {
    if (owner.isOver() || backend != null || place == null || trip == null || request == null) {
      return;
    }
    Capacity held = place.held();
    if (held == null) {
      Failure no = place.refused();
      if (no != null) {
        place.release();
        refused(no);
      }
      return;
    }
    payer = place;
    Trip.Stop stop = trip.at(held);
    backend = stop.backend();
    backendName = stop.backend().name();
    attempting = stop.backend();
    sentModel = stop.model();
    upstreamDone = false;
    owner.granted();
    ChatRequest sent = asSent(request);
    Tracking tracking =
        info.trace().begins(backendName, stop.backend().config().url(), sent, streamed);
    UpstreamCall call = stop.backend().api().chat(info.loop(), sent, streamed, tracking, owner);
    if (backend == stop.backend()) { // The attempt may be over already, and the next one begun.
      upstream = call;
    }
    if (owner.isOver() && !upstreamDone) {
      call.abort();
    }
  }

  private ChatRequest asSent(ChatRequest asked) {
    ChatRequest sent = asked.withModel(sentModel);
    return mayRescue() ? sent.with(Continuation.POSSIBLE) : sent;
  }

  /** The first token of a streamed answer is there. */
  void firstToken() {
    if (place != null) {
      place.firstToken();
    }
  }

  /** The backend had no room. */
  void pushedBack() {
    if (place != null) {
      place.pushedBack();
    }
  }

  /** What the call has cost; before {@link #stop}. */
  void charge(long tokens) {
    if (payer != null && tokens > 0) {
      payer.charge(tokens);
    }
  }

  // --- going elsewhere ---

  /**
   * The attempt failed before any output. Goes on to another backend, or to a model that may answer
   * in this one's place, where that is allowed.
   *
   * @return whether the call goes on
   */
  boolean goesOnAfter(Reason why) {
    Backend failed = backend;
    if (trip == null || failed == null || !hasPrompt()) {
      return false;
    }
    boolean another = trip.leave(failed, why);
    boolean otherModel = !another && trip.hasFallback() && Trip.mayFallBack(why);
    if ((!another && !otherModel) || !mayGoOn(why)) {
      return false;
    }
    attemptFailed(why);
    endAttempt();
    if (otherModel && !fallBack(why)) {
      return false;
    }
    moved += another ? 1 : 0;
    ask();
    return true;
  }

  /**
   * A connection that was never made has cost no backend anything, and each is tried once: no
   * budget is needed, and with one all calls but a few would fail when several backends die at
   * once.
   */
  private boolean mayGoOn(Reason why) {
    return why == Reason.UPSTREAM_CONNECT || calls.retryBudget().mayRetry();
  }

  /** Nothing is sent here: the next one is only made the one to ask. */
  @CanIgnoreReturnValue
  private boolean fallBack(Reason why) {
    if (trip == null || !Trip.mayFallBack(why)) {
      return false;
    }
    Trip next = trip.toFallback(info.caller()::mayUse, why == Reason.NOT_READY);
    if (next == null) {
      return false;
    }
    trip = next;
    fallbacks++;
    owner.fellBackTo(next.name());
    return true;
  }

  private void endAttempt() {
    if (upstream != null) {
      earlierAttempts += upstream.connectionUse().attempts();
      stopUpstream();
      upstream = null;
    }
    backend = null;
    if (place != null) {
      place.release();
      place = null;
    }
    asking = asking == null ? null : asking.onceMore();
  }

  private boolean hasPrompt() {
    return request != null && !request.messages().isEmpty();
  }

  // --- going on with a broken answer ---

  /** Whether the answer that comes may be carried on by another backend, should this one die. */
  boolean mayRescue() {
    return streamed && trip != null && trip.mayRescue();
  }

  /** It may not be after all. */
  void rescueIsOut() {
    rescueIsOut = true;
  }

  private boolean keepsPrompt() {
    return mayRescue() && !rescueIsOut;
  }

  /** Whether the backend, or the way to it, died while it answered. */
  boolean wasCutOff() {
    return upstream != null && upstream.wasCutOff();
  }

  /** What the backend has said of the tokens so far; null for nothing. */
  @Nullable Usage usage() {
    return upstream == null ? null : upstream.usage();
  }

  /** A way to go on; null where there is none. Asked once, for it is counted as a retry. */
  @Nullable Trip wayToRescue() {
    Backend died = backend;
    if (trip == null || died == null || !keepsPrompt() || !hasPrompt()) {
      return null;
    }
    Trip way = trip.toRescueFrom(died);
    return way != null && calls.retryBudget().mayRescue(calls.running()) ? way : null;
  }

  /**
   * Has the rest generated by another backend.
   *
   * @param way from {@link #wayToRescue}
   * @param why the first one is left
   */
  void carryOn(Trip way, ChatRequest rest, Reason why) {
    attemptFailed(why);
    trip = way;
    request = rest;
    endAttempt();
    ask();
  }

  /**
   * The backend has the conversation and answers.
   *
   * @param hasOutput whether anything of the answer has come
   * @return whether it will not be sent again, so that nobody needs to keep it
   */
  boolean forgetPrompt(boolean hasOutput) {
    boolean needed = keepsPrompt() || (!hasOutput && trip != null && trip.hasFallback());
    if (request != null && !needed) {
      request = request.withoutMessages();
    }
    return !needed;
  }

  // --- the end ---

  /** The upstream call has come to a good end. */
  void completed() {
    upstreamDone = true;
    attemptOver(CallOutcome.OK, null);
    Backend served = backend;
    if (served != null) {
      calls.routes().succeeded(served);
    }
  }

  /** The upstream call has failed. */
  void failed(Reason reason) {
    upstreamDone = true;
    attemptFailed(reason);
    Backend failed = backend;
    if (failed != null) {
      calls.routes().failed(failed, reason);
    }
  }

  private void attemptFailed(Reason why) {
    info.trace().failed(why);
    attemptOver(Verdict.outcome(why, owner.isOffered()), why);
  }

  /** Counts the present attempt. Does nothing when it was counted before, or there was none. */
  void attemptOver(CallOutcome outcome, @Nullable Reason reason) {
    Backend at = attempting;
    if (at != null) {
      attempting = null;
      at.attempted(Verdict.end(outcome), reason);
      calls.attemptOver(
          new AttemptRecord(at.name(), outcome, reason, owner.phase(), info.trace().context()));
    }
  }

  /** What a backend breaks off because it is told to stop is no fault of the request. */
  Failure explained(Failure failure) {
    Backend now = backend;
    boolean brokenOff =
        switch (failure.reason()) {
          case UPSTREAM_RESET, UPSTREAM_TRUNCATED, UPSTREAM_ABORTED -> true;
          default -> false;
        };
    return brokenOff && now != null && now.isGoingDown()
        ? Failure.of(Reason.UPSTREAM_SHUTDOWN, "the backend was stopped meanwhile")
            .withLog(failure.reason() + " " + failure.forLog())
        : failure;
  }

  /** The call is over: nothing runs for it any more, and its place is free. */
  void stop() {
    stopUpstream();
    if (place != null) {
      place.release();
    }
    if (trip != null) {
      trip.ended();
    }
  }

  private void stopUpstream() {
    if (upstream != null && !upstreamDone) {
      upstream.abort();
    }
  }

  /** After {@link #stop}; runs on the loop, once, and never where nothing was aborted. */
  void whenClosed(Runnable then) {
    if (upstream != null && !upstreamDone) {
      upstream.whenClosed(then);
    }
  }

  void pause() {
    if (upstream != null) {
      upstream.pause();
    }
  }

  void resume() {
    if (upstream != null) {
      upstream.resume();
    }
  }

  // --- for the record ---

  /** As callers know it, else as sent upstream; empty when it has not come to that. */
  String model() {
    return trip == null || trip.name().isEmpty() ? sentModel : trip.name();
  }

  /** What the last backend calls it; empty when it was sent to none. */
  String sentModel() {
    return sentModel;
  }

  /** Who has the call now; from any thread. Null while it waits. */
  @Nullable Backend backend() {
    return backend;
  }

  /** The last one that it was sent to; empty when it was sent to none. */
  String backendName() {
    return backendName;
  }

  /** How often the call was sent to another backend before any output. */
  int moved() {
    return moved;
  }

  /** How often it went on to another model. */
  int fallbacks() {
    return fallbacks;
  }

  Exchange.ConnectionUse connectionUse() {
    return upstream == null
        ? new Exchange.ConnectionUse(false, earlierAttempts)
        : new Exchange.ConnectionUse(
            upstream.connectionUse().reused(),
            earlierAttempts + upstream.connectionUse().attempts());
  }
}
