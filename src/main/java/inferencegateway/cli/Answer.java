package inferencegateway.cli;

import com.google.protobuf.Message;

/** Takes an answer as it comes. */
interface Answer {

  /** Every message whole, before its parts. */
  void message(Message message);

  /** The next piece; may be empty. */
  void text(String piece);

  /** The next piece of what the model thinks before it answers; may be empty. */
  void reasoning(String piece);
}
