package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.core.ObjectMappers;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Continuation;
import inferencegateway.chat.Role;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChatBodyTest {

  private static String written(ChatRequest request, boolean stream) {
    return new String(ChatBody.write(request, stream), UTF_8);
  }

  private static ChatRequest sampled(Sampling sampling) {
    return new ChatRequest(
        "m",
        List.of(new ChatMessage(Role.USER, "x")),
        1,
        sampling,
        Stopping.UNSET,
        TimeLimits.UNSET);
  }

  @Test
  void whatIsNotSetIsNotSent() {
    assertEquals(
        "{\"messages\":[{\"content\":\"hi\",\"role\":\"user\"}],\"model\":\"m\",\"max_tokens\":16,"
            + "\"stream\":false}",
        written(Backend.request("hi"), false));
  }

  @Test
  void streamsAskForUsageInWords() {
    assertEquals(
        "{\"messages\":[{\"content\":\"hi\",\"role\":\"user\"}],\"model\":\"m\",\"max_tokens\":16,"
            + "\"stream_options\":{\"include_usage\":true},\"stream\":true}",
        written(Backend.request("hi"), true));
  }

  @Test
  void everyFieldIsWrittenUnderItsUpstreamName() {
    assertEquals(
        "{\"messages\":[{\"content\":\"text\",\"role\":\"system\"},"
            + "{\"content\":\"text\",\"role\":\"developer\"},"
            + "{\"content\":\"text\",\"role\":\"user\"},"
            + "{\"role\":\"assistant\",\"content\":\"text\"}],"
            + "\"model\":\"m\",\"frequency_penalty\":0.1,\"logit_bias\":{\"5\":-100.0},"
            + "\"max_tokens\":256,\"presence_penalty\":0.2,\"seed\":7,\"stop\":[\"a\",\"b\"],"
            + "\"temperature\":0.7,\"top_p\":0.9,\"top_k\":40,\"min_p\":0.05,"
            + "\"repetition_penalty\":1.1,\"stop_token_ids\":[1,2],"
            + "\"include_stop_str_in_output\":true,\"min_tokens\":3,\"ignore_eos\":true,"
            + "\"stream\":false}",
        written(WarmUp.everything(), false));
  }

  @Test
  void anAnswerThatMayBeGoneOnWithTellsItsUsageAllAlong() {
    ChatRequest may = Backend.request("hi").with(Continuation.POSSIBLE);
    assertTrue(
        written(may, true)
            .contains(
                "\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}"));
    assertFalse(written(may, false).contains("stream_options"));
  }

  @Test
  void theRestOfAnAnswerGoesOnWithItsBeginning() {
    assertEquals(
        "{\"messages\":[{\"content\":\"hi\",\"role\":\"user\"},"
            + "{\"role\":\"assistant\",\"content\":\"so far\"}],"
            + "\"model\":\"m\",\"max_tokens\":12,\"stream_options\":{\"include_usage\":true},"
            + "\"stream\":true,\"continue_final_message\":true,\"add_generation_prompt\":false,"
            + "\"echo\":false}",
        written(Backend.request("hi").restAfter("so far", 4), true));
  }

  @Test
  void zeroTemperatureIsSentAsZero() {
    String body =
        written(sampled(new Sampling(0.0, null, 0, null, null, null, null, 0L, Map.of())), false);
    assertTrue(body.contains("\"temperature\":0.0"), body);
    assertTrue(body.contains("\"top_k\":0"), body);
    assertTrue(body.contains("\"seed\":0"), body);
  }

  @Test
  void anEmptyModelIsSentEmpty() {
    assertTrue(written(Backend.request("hi").withModel(""), false).contains("\"model\":\"\""));
  }

  @Test
  void anyTextSurvives() throws Exception {
    String text = "\"\\ \u0000\u001f\u007f\u2028 é 漢字 \ud83d\ude00 </script>\r\n";
    JsonNode body = WireJson.MAPPER.readTree(ChatBody.write(Backend.request(text), true));
    assertEquals(text, body.at("/messages/0/content").asText());
  }

  @Test
  void theLibrarysOwnMapperWouldWriteTheSame() throws Exception {
    byte[] ours = ChatBody.write(WarmUp.everything(), true);
    var params = ObjectMappers.jsonMapper().readValue(ours, ChatCompletionCreateParams.Body.class);
    assertEquals(
        WireJson.MAPPER.readTree(ours),
        ObjectMappers.jsonMapper().readTree(ObjectMappers.jsonMapper().writeValueAsBytes(params)));
    assertEquals(
        ObjectMappers.jsonMapper().writeValueAsString(params),
        WireJson.MAPPER.writeValueAsString(params));
  }

  @Test
  void onlyLongPromptsAreLarge() {
    assertFalse(ChatBody.isLarge(Backend.request("x".repeat(256 * 1024))));
    assertTrue(ChatBody.isLarge(Backend.request("x".repeat(256 * 1024 + 1))));
  }
}
