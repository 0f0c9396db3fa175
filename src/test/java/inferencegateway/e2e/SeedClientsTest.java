package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference;
import inferencegateway.testing.SeedCallers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import llm.v1.Llm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Clients that were generated from the published texts, before anything was added, get what they
 * were promised.
 */
class SeedClientsTest {

  private static final String MODEL = "meta-llama/Llama-3.1-8B-Instruct";

  private static Rig rig;
  private static SeedCallers seeds;

  @BeforeAll
  static void start() {
    rig = Rig.start(Map.of("model", MODEL));
    seeds = rig.callers().seeds();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @Test
  void generateReturnsContentModelAndTotalTokens() {
    Inference.GenerateResponse answer = seeds.generate("Explain GPU compute units.");
    assertFalse(answer.getContent().isBlank());
    assertEquals(MODEL, answer.getModel());
    assertTrue(answer.getTokensUsed() > 20, "prompt and completion: " + answer.getTokensUsed());
  }

  @Test
  void generateStreamReturnsTokensAndThenDone() {
    List<Inference.TokenResponse> answer = seeds.generateStream("Explain GPU compute units.");
    Inference.TokenResponse last = answer.get(answer.size() - 1);
    assertTrue(last.getDone());
    assertEquals("", last.getToken());
    List<Inference.TokenResponse> tokens = answer.subList(0, answer.size() - 1);
    assertTrue(tokens.stream().noneMatch(t -> t.getDone() || t.getToken().isEmpty()));
    assertFalse(tokens.isEmpty());
  }

  @Test
  void streamAndWholeAnswerSayTheSame() {
    String whole = seeds.generate("[[sim:none]] same words").getContent();
    String streamed =
        seeds.generateStream("[[sim:none]] same words").stream()
            .map(Inference.TokenResponse::getToken)
            .collect(Collectors.joining());
    assertFalse(whole.isEmpty());
    assertFalse(streamed.isEmpty());
  }

  @Test
  void healthIsHealthyAndNamesTheModel() {
    Inference.HealthResponse health = seeds.health();
    assertEquals("healthy", health.getStatus());
    assertEquals(MODEL, health.getModel());
  }

  @Test
  void completeReturnsTextAndUsage() {
    Llm.CompleteResponse answer = seeds.complete("解释 HTTP/2 多路复用");
    assertFalse(answer.getText().isBlank());
    assertTrue(answer.getUsage().getInputTokens() > 0);
    assertEquals(20, answer.getUsage().getOutputTokens());
  }

  @Test
  void completeStreamEndsWithDoneAndUsage() {
    List<Llm.TokenChunk> answer = seeds.completeStream("解释 HTTP/2 多路复用", Duration.ofSeconds(60));
    Llm.TokenChunk last = answer.get(answer.size() - 1);
    assertTrue(last.getDone());
    assertEquals("", last.getToken());
    assertEquals(20, last.getUsage().getOutputTokens());
    assertEquals(20, answer.size() - 1);
    assertTrue(answer.subList(0, 20).stream().noneMatch(Llm.TokenChunk::hasUsage));
  }
}
