package inferencegateway.call;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;

/**
 * The caller's end of one call, in its contract's words. Everything runs on the call's loop;
 * nothing throws.
 */
public interface AnswerSink {

  /** Whether the transport would take a message without queueing much of it. */
  boolean isReady();

  /**
   * Adds to the metadata that goes before the first piece; no effect after it.
   *
   * @param value any text; what is not ASCII goes percent-encoded
   */
  void header(String name, String value);

  /** Adds to the metadata that goes with the status, whatever it will be. */
  void trailer(String name, String value);

  /** The next piece. */
  void send(AnswerHead head, Delta delta);

  /** The last message and OK. */
  void complete(AnswerHead head, Finish finish, Usage usage, CallTiming timing);

  /** The call ends with a status. */
  void fail(Statuses.Answer answer);

  /** The stream is reset: the only way to end a call whose caller takes no data. */
  void reset();
}
