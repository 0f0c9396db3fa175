package inferencegateway.chat;

/**
 * One field of a request that cannot be accepted.
 *
 * @param field its path in the caller's own message, as {@code messages[3].role}
 * @param description what is wrong and what would be right
 */
public record FieldViolation(String field, String description) {}
