package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.Secret;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorTextTest {

  private final ErrorText texts = new ErrorText(() -> List.of(new Secret("topsecret")));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key topsecret is bad",
        "Authorization: Bearer abcdef is bad",
        "bearer\tabcdef is bad",
        "got sk-abcdef123456",
        "got sk-proj-abc_def-123456",
        "token hf_abcdefghijklmnop",
        "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-abcdef_1",
        "sha 0123456789abcdef0123456789abcdef is bad",
        "b64 QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk+/w== abcdef?",
      })
  void secretsAreHidden(String text) {
    String clean = texts.clean(text);
    assertTrue(clean.contains("***"), clean);
    for (String secret :
        new String[] {"topsecret", "abcdef1", "r abcdef", "hf_a", "eyJ", "QUJD", "0123"}) {
      assertFalse(clean.contains(secret), clean);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required', 'input': {'model': 'my prompt'}}]",
        "1 validation error: {\"msg\": \"Field required\", \"input\":\"my prompt\"}",
        "Field required [type=missing, input_value={'a': 'my prompt'}, input_type=dict]"
      })
  void promptsAreNotEchoed(String text) {
    String clean = texts.clean(text);
    assertFalse(clean.contains("my prompt"), clean);
    assertTrue(clean.contains("Field required"), clean);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "The model `meta-llama/Llama-3.1-8B-Instruct` does not exist.",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "ChatCompletionMessageToolCallUnionParam is not supported",
        "input tokens: 5"
      })
  void ordinaryWordsStay(String text) {
    assertEquals(text, texts.clean(text));
    assertEquals(text, texts.cleanOrNothing(text));
  }

  @Test
  void controlCharactersBecomeOneSpace() {
    assertEquals("a b c d e", texts.clean("\na\r\n\u0000b\u2028c\u001b\u0085d\u202ee\t"));
  }

  @Test
  void longTextIsCutBetweenCharacters() {
    String clean = texts.clean("\ud83d\ude00".repeat(400));
    assertTrue(clean.length() <= 300, clean);
    assertTrue(clean.endsWith("\ude00..."), clean);
    assertTrue(texts.clean("x\ud83d\ude00".repeat(400)).endsWith("..."));
  }

  @Test
  void tracebacksAndSecretsKeepAllBack() {
    assertEquals("", texts.cleanOrNothing("Traceback (most recent call last): ..."));
    assertEquals("", texts.cleanOrNothing("failed with topsecret"));
    assertEquals("", texts.cleanOrNothing("x".repeat(301)));
  }

  @Test
  void wordsAreWordsOrNothing() {
    assertEquals("BadRequestError", texts.word("BadRequestError"));
    assertEquals("messages[0].role", texts.word("messages[0].role"));
    assertEquals("", texts.word("a\nb"));
    assertEquals("", texts.word("x".repeat(65)));
    assertEquals("***", texts.word("topsecret"));
  }

  @Property
  void whateverComesIsShortAndOnOneLine(@ForAll String any) {
    String clean = texts.clean(any);
    assertTrue(clean.length() <= 300);
    assertTrue(clean.chars().noneMatch(Character::isISOControl));
    assertTrue(clean.codePoints().noneMatch(c -> c == 0x2028 || c == 0x2029));
  }

  /** Patterns that run over hostile text on an event loop must not take forever. */
  @Test
  void hostileTextIsReadInTime() {
    Assertions.assertTimeout(
        Duration.ofSeconds(2),
        () -> {
          for (String part :
              new String[] {"a", "A1", "eyJ", "sk-", "'input'", "[ ", "input_value ", "/_=-"}) {
            texts.clean(part.repeat(100_000));
          }
        });
  }
}
