package inferencegateway.call;

import inferencegateway.chat.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What is to be seen of a call that is not over, without a word of its content. Read while it goes
 * on, so that the figures need not belong to the very same moment.
 *
 * @param caller the name it is known by; empty where callers are not told apart
 * @param peer the caller's address
 * @param model in the caller's word, else what it was given; empty when it has not come to that
 * @param backend who has it; empty while it waits
 * @param ageNanos since its headers came
 * @param leftNanos until the caller's deadline; null without one
 * @param tokens pieces of the answer that went to the caller, or are kept for it
 */
public record LiveCall(
    String requestId,
    String method,
    String caller,
    String peer,
    String model,
    String backend,
    Phase phase,
    long ageNanos,
    @Nullable Long leftNanos,
    int tokens) {

  /** Its name, else where it calls from, without the port. */
  public String callerOrHost() {
    if (!caller.isEmpty()) {
      return caller;
    }
    int from = peer.startsWith("/") ? 1 : 0; // As Java writes an address without a name.
    int port = peer.lastIndexOf(':');
    return port < from ? peer : peer.substring(from, port);
  }
}
