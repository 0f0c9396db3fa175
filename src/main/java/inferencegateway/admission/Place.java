package inferencegateway.admission;

import inferencegateway.chat.Failure;
import org.jspecify.annotations.Nullable;

/** One call's place at a backend, from asking to release. May be used from anywhere. */
public final class Place implements Asked {

  enum State {
    /** Not decided yet. */
    ASKING,
    WAITING,
    HELD,
    /** It waited, and will not get a place. */
    REFUSED,
    RELEASED
  }

  final Gate gate;
  final Asking asking;
  final Candidates candidates;
  final Runnable granted;

  /** Guarded by the gate's lock, as all that follows. */
  State state = State.ASKING;

  @Nullable Capacity at;
  @Nullable Failure refusal;
  @Nullable Pool pool;

  /** Of the caller, while the place waits or is held. */
  @Nullable Line line;

  long heldSince;
  boolean answered;

  /** Neighbours in the {@link Places} it is in. */
  @Nullable Place previous;

  @Nullable Place next;

  Place(Gate gate, Asking asking, Candidates candidates, Runnable granted) {
    this.gate = gate;
    this.asking = asking;
    this.candidates = candidates;
    this.granted = granted;
  }

  /** Where the call may run; null while it waits and after the release. */
  public @Nullable Capacity held() {
    return gate.held(this);
  }

  /** Why a call that waited will get no place; null while it may still. */
  public @Nullable Failure refused() {
    return gate.refused(this);
  }

  /** The first token of a streamed answer has come. Once. */
  public void firstToken() {
    gate.firstToken(this);
  }

  /** The backend had no room for the call, for all we thought. Before the release. */
  public void pushedBack() {
    gate.pushedBack(this);
  }

  /**
   * What the call has cost its caller.
   *
   * @param tokens of prompt and answer
   */
  public void charge(long tokens) {
    gate.charge(asking, tokens);
  }

  /** Gives the place to a waiter, or leaves the queue. Idempotent. */
  public void release() {
    gate.release(this);
  }
}
