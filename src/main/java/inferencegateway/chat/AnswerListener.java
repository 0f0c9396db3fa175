package inferencegateway.chat;

import org.jspecify.annotations.Nullable;

/**
 * Receives one answer. Every method runs on the call's event loop, in the order head, deltas, then
 * exactly one of completed or failed; after an abort nothing more is called. Implementations must
 * not throw and must not block.
 */
public interface AnswerListener {

  /**
   * The request has been written to a connection: from here on the backend may be working. At most
   * once.
   */
  void onSent();

  /** Once, before the first delta or completed. */
  void onHead(AnswerHead head);

  /** Never empty. A whole-body answer comes as one delta. */
  void onDelta(Delta delta);

  /**
   * All that one read from the network held has been delivered; more may come. The place to decide
   * whether to stop reading.
   */
  void onBatchEnd();

  /**
   * The answer is whole: a finish reason was seen.
   *
   * @param usage null where the backend sent none
   */
  void onCompleted(Finish finish, @Nullable Usage usage);

  /** The answer will not become whole. Deltas may have come before. */
  void onFailed(Failure failure);
}
