package inferencegateway.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Continuation;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Role;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.chat.Usage;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RescueLimitsTest {

  private static final Failure DIED = Failure.of(Reason.UPSTREAM_TRUNCATED, "broke off");

  private final Rescue rescue = new Rescue(100);

  private static ChatRequest request(int maxTokens, Stopping stopping) {
    return new ChatRequest(
        "m",
        List.of(new ChatMessage(Role.USER, "hi")),
        maxTokens,
        Sampling.UNSET,
        stopping,
        TimeLimits.UNSET);
  }

  private static Usage exact(int input, int output) {
    return new Usage(input, output, input + output, 3, 0, true);
  }

  private void said(String... pieces) {
    for (String piece : pieces) {
      rescue.said(Delta.text(piece));
    }
  }

  /**
   * Tools, structured output, several choices, log probabilities: whatever joins a request has to
   * be looked at here first, for most of it must never be gone on with (see {@link Rescue}).
   */
  @Test
  void everyPartOfARequestIsKnownToBeFitForARescue() {
    assertEquals(
        List.of(
            "model", "messages", "maxTokens", "sampling", "stopping", "timeLimits", "continuation"),
        Arrays.stream(ChatRequest.class.getRecordComponents())
            .map(RecordComponent::getName)
            .toList());
    assertEquals(
        List.of("text", "reasoning"),
        Arrays.stream(Delta.class.getRecordComponents()).map(RecordComponent::getName).toList());
  }

  @Test
  void theRestIsLessByWhatWasGenerated() {
    said("a", " b");
    Stopping stopping = new Stopping(List.of("x"), List.of(1), true, 3, true);
    ChatRequest rest = rescue.rest(request(10, stopping), exact(5, 4));
    assertNotNull(rest);
    assertEquals(6, rest.maxTokens());
    assertNull(rest.stopping().minTokens());
    assertEquals(List.of("x"), rest.stopping().stop());
    assertEquals(new ChatMessage(Role.ASSISTANT, "a b"), rest.messages().get(1));
    assertEquals(Continuation.OF_LAST_MESSAGE, rest.continuation());
    rescue.begins(DIED);
    assertEquals(new Usage(5, 10, 15, 3, null, true), rescue.sum(exact(8, 6), 6));
    assertEquals(new Usage(5, 6, 11, 3, null, false), rescue.sum(null, 2));
  }

  @Test
  void whatIsWrittenAgainIsCountedOnce() {
    said("a", ".", "\n\n");
    ChatRequest rest = rescue.rest(request(10, Stopping.UNSET), exact(5, 3));
    assertNotNull(rest);
    assertEquals(8, rest.maxTokens());
    assertEquals("a.", rest.messages().get(1).content());
    rescue.begins(DIED);
    assertEquals("b", rescue.join("\n\nb"));
  }

  @Test
  void blankTextIsGeneratedAnew() {
    said("\n");
    ChatRequest rest = rescue.rest(request(10, Stopping.UNSET), null);
    assertNotNull(rest);
    assertEquals(1, rest.messages().size());
    assertEquals(10, rest.maxTokens());
    assertEquals(Continuation.NONE, rest.continuation());
    rescue.begins(DIED);
    assertEquals("a", rescue.join("\na"));
  }

  @Test
  void withNothingLeftToGenerateThereIsNoRescue() {
    said("a", "b");
    assertNull(rescue.rest(request(2, Stopping.UNSET), null));
    assertNull(rescue.rest(request(9, Stopping.UNSET), exact(5, 9)));
  }

  @Test
  void aLongTextIsNotRemembered() {
    said("x".repeat(100));
    assertFalse(rescue.isOut());
    said("x");
    assertTrue(rescue.isOut());
    assertNull(rescue.rest(request(1_000, Stopping.UNSET), null));
  }

  @Test
  void reasoningIsNotGoneOnWith() {
    rescue.said(new Delta("a", "b"));
    assertTrue(rescue.isOut());
  }

  @Test
  void thereIsOnlyOne() {
    said("a");
    assertNotNull(rescue.rest(request(10, Stopping.UNSET), null));
    rescue.begins(DIED);
    assertNull(rescue.rest(request(10, Stopping.UNSET), null));
  }

  @Test
  void aTextThatMayEndInsideAStopStringIsLeft() {
    said("about US");
    assertNull(rescue.rest(request(10, stop("USER:")), null));
    assertNotNull(rescue.rest(request(10, stop("S")), null));
    assertNull(rescue.rest(request(10, stop("never", "USB")), null));
    assertNotNull(rescue.rest(request(10, stop("\n\n", "bout")), null));
  }

  private static Stopping stop(String... words) {
    return new Stopping(List.of(words), List.of(), null, null, null);
  }
}
