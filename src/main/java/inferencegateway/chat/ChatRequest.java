package inferencegateway.chat;

import java.util.List;

/**
 * One chat completion, checked and with the contract's defaults filled in.
 *
 * @param model as asked for; empty when the caller named none
 * @param messages at least one
 * @param maxTokens most tokens to generate, 1 and up
 */
public record ChatRequest(
    String model,
    List<ChatMessage> messages,
    int maxTokens,
    Sampling sampling,
    Stopping stopping,
    TimeLimits timeLimits) {

  public ChatRequest {
    messages = List.copyOf(messages);
  }

  public ChatRequest withModel(String name) {
    return new ChatRequest(name, messages, maxTokens, sampling, stopping, timeLimits);
  }

  /** What is left to know once the backend has the conversation. */
  public ChatRequest withoutMessages() {
    return new ChatRequest(model, List.of(), maxTokens, sampling, stopping, timeLimits);
  }
}
