package inferencegateway.chat;

/** One turn of a conversation. */
public record ChatMessage(Role role, String content) {}
