package inferencegateway.chat;

import java.util.Optional;

/** Who speaks in a message. */
public enum Role {
  SYSTEM("system"),
  DEVELOPER("developer"),
  USER("user"),
  ASSISTANT("assistant");

  private final String word;

  Role(String word) {
    this.word = word;
  }

  /** The word on both wires. */
  public String word() {
    return word;
  }

  /** Empty for a word that no contract knows. */
  public static Optional<Role> of(String word) {
    for (Role role : values()) {
      if (role.word.equals(word)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
