package inferencegateway.call;

import com.google.protobuf.CodedOutputStream;
import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import java.util.List;

/** How large answers are on the wire. */
final class Sizes {

  private Sizes() {}

  static long utf8(String text) {
    return text.isEmpty() ? 0 : CodedOutputStream.computeStringSizeNoTag(text);
  }

  /** Of a conversation, about. */
  static long chars(List<ChatMessage> messages) {
    long sum = 0;
    for (ChatMessage message : messages) {
      sum += message.content().length();
    }
    return sum;
  }

  static Failure responseTooLarge(int limit) {
    return Failure.of(
        Reason.RESPONSE_TOO_LARGE,
        "the answer is larger than "
            + limit
            + " bytes: stream it, ask for fewer max_tokens, or raise limits.max-response-bytes here and the"
            + " receive limit of the client");
  }
}
