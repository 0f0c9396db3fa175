package inferencegateway.api;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/** The ranges that both contracts share; see the comments of the protos. */
final class Checks {

  private static final int MAX_MESSAGES = 4_096;
  private static final int MAX_STOPS = 16;
  private static final int MAX_STOP_CHARS = 256;
  private static final int MAX_MODEL_CHARS = 256;

  private Checks() {}

  /** Reads the conversation of either contract. */
  static List<ChatMessage> messages(
      int count, IntFunction<String> role, IntFunction<String> content, Violations violations) {
    violations.unless(
        count >= 1 && count <= MAX_MESSAGES,
        "messages",
        "must hold 1 to " + MAX_MESSAGES + " messages, has " + count);
    int read = count <= MAX_MESSAGES ? count : 0; // Too many to look at each.
    List<ChatMessage> messages = new ArrayList<>(read);
    for (int i = 0; i < read; i++) {
      messages.add(new ChatMessage(role(role.apply(i), i, violations), content.apply(i)));
    }
    return messages;
  }

  private static Role role(String word, int index, Violations violations) {
    Optional<Role> role = Role.of(word);
    if (role.isEmpty()) {
      violations.add(
          "messages[" + index + "].role", "must be system, developer, user or assistant");
    }
    return role.orElse(Role.USER);
  }

  static void model(String name, Violations violations) {
    violations.unless(
        name.length() <= MAX_MODEL_CHARS && name.chars().noneMatch(Character::isISOControl),
        "model",
        "must be a name of at most " + MAX_MODEL_CHARS + " characters");
  }

  static void maxTokens(int value, Violations violations) {
    violations.unless(value >= 1, "max_tokens", "must be 1 or more; leave it out for the default");
  }

  static void stops(List<String> stops, String field, Violations violations) {
    violations.unless(
        stops.size() <= MAX_STOPS, field, "must hold at most " + MAX_STOPS + " texts");
    for (int i = 0; i < Math.min(stops.size(), MAX_STOPS); i++) {
      String stop = stops.get(i);
      int chars = stop.codePointCount(0, stop.length());
      violations.unless(
          chars >= 1 && chars <= MAX_STOP_CHARS,
          field + "[" + i + "]",
          "must be 1 to " + MAX_STOP_CHARS + " characters long");
    }
  }
}
