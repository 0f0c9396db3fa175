package inferencegateway.chat;

import java.util.ArrayList;
import java.util.List;

/**
 * One chat completion, checked and with the contract's defaults filled in.
 *
 * @param model as asked for; empty when the caller named none
 * @param messages at least one
 * @param maxTokens most tokens to generate, 1 and up
 * @param continuation the caller never says it
 */
public record ChatRequest(
    String model,
    List<ChatMessage> messages,
    int maxTokens,
    Sampling sampling,
    Stopping stopping,
    TimeLimits timeLimits,
    Continuation continuation) {

  public ChatRequest {
    messages = List.copyOf(messages);
  }

  public ChatRequest(
      String model,
      List<ChatMessage> messages,
      int maxTokens,
      Sampling sampling,
      Stopping stopping,
      TimeLimits timeLimits) {
    this(model, messages, maxTokens, sampling, stopping, timeLimits, Continuation.NONE);
  }

  public ChatRequest withModel(String name) {
    return new ChatRequest(name, messages, maxTokens, sampling, stopping, timeLimits, continuation);
  }

  public ChatRequest with(Continuation how) {
    return new ChatRequest(model, messages, maxTokens, sampling, stopping, timeLimits, how);
  }

  /** What is left to know once the backend has the conversation. */
  public ChatRequest withoutMessages() {
    return new ChatRequest(
        model, List.of(), maxTokens, sampling, stopping, timeLimits, continuation);
  }

  /**
   * What is left to generate when some of the answer is there.
   *
   * @param beginning of the answer; empty: nothing that is worth going on with
   * @param tokens generated for it, fewer than {@link #maxTokens}
   */
  public ChatRequest restAfter(String beginning, int tokens) {
    List<ChatMessage> conversation = new ArrayList<>(messages);
    if (!beginning.isEmpty()) {
      conversation.add(new ChatMessage(Role.ASSISTANT, beginning));
    }
    return new ChatRequest(
        model,
        conversation,
        maxTokens - tokens,
        sampling,
        stopping.restAfter(tokens),
        timeLimits,
        beginning.isEmpty() ? Continuation.NONE : Continuation.OF_LAST_MESSAGE);
  }
}
