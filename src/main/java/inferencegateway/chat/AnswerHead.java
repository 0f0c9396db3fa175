package inferencegateway.chat;

/**
 * What is known of an answer before its first piece.
 *
 * @param id the backend's name for the completion; empty where it gave none
 * @param model the model that answers, as the backend names it; empty where it gave none
 */
public record AnswerHead(String id, String model) {}
