package inferencegateway.upstream;

import inferencegateway.chat.ChatMessage;
import java.util.List;

/** A caller's own words, found again in what a backend says of them. */
final class Echo {

  /** Enough to tell a prompt from chance; what follows it is not looked at. */
  private static final int OPENING_CHARS = 16;

  /** A shorter message is found in ordinary words, and says nothing. */
  private static final int SHORTEST_CHARS = 8;

  private Echo() {}

  /**
   * The text up to where it begins to repeat a message. Backends that quote a prompt quote it from
   * its beginning, cut or whole.
   */
  static String cut(String text, List<ChatMessage> messages) {
    String kept = text;
    for (ChatMessage message : messages) {
      String opening = opening(message.content());
      int at = opening.length() < SHORTEST_CHARS ? -1 : kept.indexOf(opening);
      kept = at < 0 ? kept : kept.substring(0, at) + "...";
    }
    return kept;
  }

  /** Up to the first character that would be escaped in a quotation. */
  private static String opening(String content) {
    int start = 0;
    while (start < content.length() && Character.isWhitespace(content.charAt(start))) {
      start++;
    }
    int end = start;
    while (end < content.length() && end - start < OPENING_CHARS && isPlain(content.charAt(end))) {
      end++;
    }
    return content.substring(start, end);
  }

  private static boolean isPlain(char c) {
    return !Character.isISOControl(c) && c != '"' && c != '\'' && c != '\\';
  }
}
