package inferencegateway.call;

import inferencegateway.admission.Asked;
import inferencegateway.admission.Asking;
import inferencegateway.admission.Capacity;
import inferencegateway.admission.Gate;
import inferencegateway.admission.Place;
import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Failure;
import inferencegateway.http.Exchange;
import inferencegateway.route.Backend;
import inferencegateway.route.Trip;
import inferencegateway.upstream.UpstreamCall;
import org.jspecify.annotations.Nullable;

/**
 * Brings one call to a backend: waits for a place, sends, and goes on to another backend where the
 * first has done no work.
 *
 * <p>Thread: the call's loop.
 */
final class Dispatch {

  private static final Exchange.ConnectionUse NOTHING_SENT = new Exchange.ConnectionUse(false, 0);

  /** What it needs of its call. */
  interface Owner extends AnswerListener {
    boolean isOver();

    /** There is a place; the request goes out. */
    void granted();

    /** There is none. */
    void refused(Failure failure);
  }

  private final CallInfo info;
  private final Gate gate;
  private final Owner owner;

  private @Nullable Trip trip;
  private @Nullable ChatRequest request;
  private boolean streamed;
  private @Nullable Place place;
  private @Nullable Backend backend;
  private @Nullable UpstreamCall upstream;
  private boolean upstreamDone;

  Dispatch(CallInfo info, Gate gate, Owner owner) {
    this.info = info;
    this.gate = gate;
    this.owner = owner;
  }

  /**
   * @param checked with the model that is sent upstream
   * @param upstreamStreamed whether the backend is to send the answer as it grows
   */
  void start(Trip chosen, ChatRequest checked, boolean upstreamStreamed, Asking asking) {
    trip = chosen;
    request = checked;
    streamed = upstreamStreamed;
    Asked asked = gate.ask(asking, chosen, () -> info.loop().execute(this::granted));
    if (asked instanceof Place waiting) {
      place = waiting;
      granted();
    } else if (asked instanceof Asked.Refused refused) {
      owner.refused(refused.failure());
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
        owner.refused(no);
      }
      return;
    }
    Backend chosen = trip.at(held);
    backend = chosen;
    owner.granted();
    UpstreamCall call = chosen.api().chat(info.loop(), request, streamed, info.requestId(), owner);
    upstream = call;
    if (owner.isOver() && !upstreamDone) {
      call.abort();
    }
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
    if (place != null && backend != null && tokens > 0) {
      place.charge(tokens);
    }
  }

  /** The backend has the conversation and answers; it will not be sent again. */
  void forgetPrompt() {
    if (request != null) {
      request = request.withoutMessages();
    }
  }

  /** The upstream call has come to an end of its own. */
  void upstreamEnded() {
    upstreamDone = true;
  }

  /** The call is over: nothing runs for it any more, and its place is free. */
  void stop() {
    if (upstream != null && !upstreamDone) {
      upstream.abort();
    }
    if (place != null) {
      place.release();
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

  /** As sent upstream; empty when it has not come to that. */
  String model() {
    return request == null ? "" : request.model();
  }

  Exchange.ConnectionUse connectionUse() {
    return upstream == null ? NOTHING_SENT : upstream.connectionUse();
  }
}
