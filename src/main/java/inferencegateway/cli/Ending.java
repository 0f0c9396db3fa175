package inferencegateway.cli;

/**
 * How an answer ended.
 *
 * @param finish the backend's own word
 */
record Ending(String model, String finish, int inputTokens, int outputTokens) {}
