package inferencegateway.admission;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Where a call may go. */
@FunctionalInterface
public interface Candidates {

  /**
   * Chooses among the backends that have a place. Called while the gate's lock is held, again
   * whenever a place becomes free: must be quick, must not block and must not call the gate.
   *
   * @param hasRoom to be asked of every backend that would do
   * @return null when none of this call's backends has room
   */
  @Nullable Capacity choose(Predicate<Capacity> hasRoom);

  /**
   * Calls for the same backends wait in one queue: what tells one set of backends from another, by
   * {@code equals}.
   */
  default Object pool() {
    return "";
  }
}
