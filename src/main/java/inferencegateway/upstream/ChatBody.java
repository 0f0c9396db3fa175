package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.openai.core.JsonArray;
import com.openai.core.JsonBoolean;
import com.openai.core.JsonNumber;
import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Continuation;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A chat completion as the JSON that vLLM reads. What is not set is not written. */
final class ChatBody {

  private static final int LARGE_CHARS = 256 * 1024;

  private final ChatCompletionCreateParams.Builder params = ChatCompletionCreateParams.builder();

  private ChatBody() {}

  /** Whether writing it would hold up an event loop. */
  static boolean isLarge(ChatRequest request) {
    long chars = 0;
    for (ChatMessage message : request.messages()) {
      chars += message.content().length();
    }
    return chars > LARGE_CHARS;
  }

  static byte[] write(ChatRequest request, boolean stream) {
    ChatBody body = new ChatBody();
    request.messages().forEach(body::addMessage);
    body.addModel(request);
    body.addSampling(request.sampling());
    body.addStopping(request.stopping());
    body.addStream(stream, request.continuation());
    body.addContinuation(request.continuation());
    try {
      return WireJson.MAPPER.writeValueAsBytes(body.params.build()._body());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a chat request could not be written", e);
    }
  }

  private void addMessage(ChatMessage message) {
    switch (message.role()) {
      case SYSTEM -> params.addSystemMessage(message.content());
      case DEVELOPER -> params.addDeveloperMessage(message.content());
      case USER -> params.addUserMessage(message.content());
      case ASSISTANT -> params.addAssistantMessage(message.content());
    }
  }

  /** An empty model is sent as such: vLLM takes its default then. */
  @SuppressWarnings("deprecation") // max_tokens: every server reads it, max_completion_tokens not
  private void addModel(ChatRequest request) {
    params.model(request.model());
    params.maxTokens((long) request.maxTokens());
  }

  @SuppressWarnings("deprecation") // seed: OpenAI's hosted API gave it up, vLLM did not
  private void addSampling(Sampling sampling) {
    if (sampling.temperature() != null) {
      params.temperature(sampling.temperature());
    }
    if (sampling.topP() != null) {
      params.topP(sampling.topP());
    }
    if (sampling.frequencyPenalty() != null) {
      params.frequencyPenalty(sampling.frequencyPenalty());
    }
    if (sampling.presencePenalty() != null) {
      params.presencePenalty(sampling.presencePenalty());
    }
    if (sampling.seed() != null) {
      params.seed(sampling.seed());
    }
    addLogitBias(sampling.logitBias());
    put("top_k", sampling.topK());
    put("min_p", sampling.minP());
    put("repetition_penalty", sampling.repetitionPenalty());
  }

  private void addLogitBias(Map<Integer, Double> logitBias) {
    if (logitBias.isEmpty()) {
      return;
    }
    var bias = ChatCompletionCreateParams.LogitBias.builder();
    logitBias.forEach(
        (token, added) -> bias.putAdditionalProperty(token.toString(), JsonNumber.of(added)));
    params.logitBias(bias.build());
  }

  private void addStopping(Stopping stopping) {
    if (!stopping.stop().isEmpty()) {
      params.stopOfStrings(stopping.stop());
    }
    if (!stopping.stopTokenIds().isEmpty()) {
      List<JsonValue> ids = stopping.stopTokenIds().stream().map(ChatBody::number).toList();
      params.putAdditionalBodyProperty("stop_token_ids", JsonArray.of(ids));
    }
    put("include_stop_str_in_output", stopping.includeStopText());
    put("min_tokens", stopping.minTokens());
    put("ignore_eos", stopping.ignoreEos());
  }

  /** Usage is always asked for in words: vLLM's default differs between versions. */
  private void addStream(boolean stream, Continuation continuation) {
    put("stream", stream);
    if (stream) {
      var options = ChatCompletionStreamOptions.builder().includeUsage(true);
      if (continuation == Continuation.POSSIBLE) {
        options.putAdditionalProperty("continuous_usage_stats", JsonBoolean.of(true));
      }
      params.streamOptions(options.build());
    }
  }

  /** In vLLM the first two exclude each other, and the second is on by default. */
  private void addContinuation(Continuation continuation) {
    if (continuation == Continuation.OF_LAST_MESSAGE) {
      put("continue_final_message", true);
      put("add_generation_prompt", false);
      put("echo", false);
    }
  }

  private void put(String name, @Nullable Number value) {
    if (value != null) {
      params.putAdditionalBodyProperty(name, number(value));
    }
  }

  private void put(String name, @Nullable Boolean value) {
    if (value != null) {
      params.putAdditionalBodyProperty(name, JsonBoolean.of(value.booleanValue()));
    }
  }

  private static JsonValue number(Number value) {
    return JsonNumber.of(value);
  }
}
