package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.Role;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EchoTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bad: tell me a secret of yours | tell me a secret of yours | bad: ...",
        "bad: tell me a secret of yo (cut) | tell me a secret of yours and mine | bad: ...",
        "bad: say 'it\\'s me' | say 'it's me, loudly' | bad: say 'it\\'s me'",
        "bad: in two lines\\nof text | in two lines of text | bad: in two lines\\nof text",
        "bad: hello | hello | bad: hello",
        "temperature is too high | something else entirely | temperature is too high"
      })
  void textEndsWhereItRepeatsAPrompt(String text, String prompt, String kept) {
    List<ChatMessage> messages =
        List.of(new ChatMessage(Role.SYSTEM, "x"), new ChatMessage(Role.USER, "  " + prompt));
    assertEquals(kept, Echo.cut(text, messages));
  }
}
