package inferencegateway.route;

import inferencegateway.admission.Capacity;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is the same for one call wherever it goes.
 *
 * @param call stands for the call's id
 * @param session stands for its session; 0: it belongs to none
 */
record CallKey(long call, long session) {

  /**
   * @param session empty for none
   */
  static CallKey of(String requestId, String session) {
    return new CallKey(Hashing.of(requestId), session.isEmpty() ? 0 : Hashing.of(session) | 1);
  }

  /** By what calls are divided among a model's pools: a session stays on its side of a canary. */
  long sticky() {
    return session == 0 ? call : session;
  }

  @Nullable Backend chooseIn(Pool pool, Predicate<Backend> fits, Predicate<Capacity> hasRoom) {
    return session == 0
        ? pool.leastBusy(call, fits, hasRoom)
        : pool.preferred(session, fits, hasRoom);
  }
}
