package inferencegateway.admission;

import org.jspecify.annotations.Nullable;

/** One call's place at a backend, from asking to release. May be used from anywhere. */
public final class Place implements Asked {

  enum State {
    WAITING,
    HELD,
    RELEASED
  }

  final Gate gate;
  final Asking asking;
  final Candidates candidates;
  final Runnable granted;

  /** Guarded by the gate's lock, as {@link #at}. */
  State state = State.WAITING;

  @Nullable Capacity at;

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

  /** Gives the place to a waiter, or leaves the queue. Idempotent. */
  public void release() {
    gate.release(this);
  }
}
