package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.Finish;
import inferencegateway.chat.FinishReason;
import inferencegateway.chat.Usage;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkDecoderTest {

  private static Chunk decode(String json) throws IOException {
    byte[] bytes = json.getBytes(UTF_8);
    return new ChunkDecoder().decode(bytes, 0, bytes.length);
  }

  private static Chunk delta(String delta) throws IOException {
    return decode("{\"choices\":[{\"index\":0,\"delta\":" + delta + "}]}");
  }

  @Test
  void readsAChunkOfVllm() throws IOException {
    Chunk chunk = decode(Backend.chunk("{\"content\":\"hi\",\"reasoning\":\"so\"}", "\"length\""));
    assertEquals("chatcmpl-1", chunk.id);
    assertEquals("m", chunk.model);
    assertEquals("hi", chunk.text);
    assertEquals("so", chunk.reasoning);
    assertEquals(FinishReason.LENGTH, chunk.finish().reason());
    assertFalse(chunk.isError());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "1",
        "\"x\"",
        "[]",
        "[{}]",
        "{}",
        "{\"role\":\"assistant\"}",
        "{\"content\":null}",
        "{\"content\":\"\"}",
        "{\"content\":5}",
        "{\"content\":true}",
        "{\"content\":[{\"type\":\"text\"}]}",
        "{\"content\":{\"a\":[1,{}]}}",
        "{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}",
        "{\"reasoning\":null,\"reasoning_content\":null}"
      })
  void oddOrEmptyDeltasSayNothing(String odd) throws IOException {
    Chunk chunk = delta(odd);
    assertEquals("", chunk.text + chunk.reasoning + chunk.finishReason);
    assertFalse(chunk.isError());
  }

  @Test
  void reasoningHasTwoNamesAndIsNotDoubled() throws IOException {
    assertEquals("a", delta("{\"reasoning\":\"a\"}").reasoning);
    assertEquals("b", delta("{\"reasoning_content\":\"b\"}").reasoning);
    assertEquals("a", delta("{\"reasoning\":\"a\",\"reasoning_content\":\"a\"}").reasoning);
    assertEquals("b", delta("{\"reasoning\":\"\",\"reasoning_content\":\"b\"}").reasoning);
  }

  @Test
  void theLastOfDuplicateNamesCounts() throws IOException {
    assertEquals("b", delta("{\"content\":\"a\",\"content\":\"b\"}").text);
    assertEquals("", delta("{\"content\":\"a\",\"content\":null}").text);
    Chunk chunk =
        decode(
            "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],"
                + "\"choices\":[{\"delta\":{\"content\":\"x\"},\"delta\":{\"content\":\"b\"}}],"
                + "\"error\":{},\"error\":null}");
    assertEquals("b", chunk.text);
    assertEquals("", chunk.finishReason);
    assertFalse(chunk.isError());
  }

  @Test
  void otherChoicesAreNotLookedAt() throws IOException {
    Chunk chunk =
        decode(
            "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\",\"index\":1},"
                + "null,7,[],{\"delta\":{\"content\":\"a\"},\"index\":0}]}");
    assertEquals("a", chunk.text);
    assertEquals("", chunk.finishReason);
  }

  @Test
  void whatStoppedItIsTextOrToken() throws IOException {
    String choice = "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"stop_reason\":%s}]}";
    assertEquals(
        new Finish(FinishReason.STOP, "stop", "END", null),
        decode(choice.formatted("\"END\"")).finish());
    assertEquals(
        new Finish(FinishReason.STOP, "stop", null, 128009),
        decode(choice.formatted("128009")).finish());
    assertEquals(Finish.of("stop"), decode(choice.formatted("null")).finish());
    assertEquals(Finish.of("stop"), decode(choice.formatted("{\"a\":1}")).finish());
  }

  @Test
  void whatIsNoTextOfTheAnswerIsCut() throws IOException {
    String odd = "x".repeat(255) + "\ud83d\ude00" + "y".repeat(100_000);
    Chunk chunk =
        decode(
            "{\"id\":\"%s\",\"model\":\"%s\",\"choices\":[{\"finish_reason\":\"%s\",\"stop_reason\":\"%s\"}]}"
                .formatted(odd, odd.substring(1), odd, odd));
    assertEquals("x".repeat(255), chunk.id);
    assertEquals("x".repeat(254) + "\ud83d\ude00", chunk.model);
    assertEquals("x".repeat(64), chunk.finish().raw());
    assertEquals("x".repeat(255), chunk.finish().stopText());
  }

  @Test
  void usageIsReadWithItsDetails() throws IOException {
    Chunk chunk =
        decode(
            "{\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,"
                + "\"total_tokens\":7,\"prompt_tokens_details\":{\"audio\":null,\"cached_tokens\":4},"
                + "\"completion_tokens_details\":{\"reasoning_tokens\":1,\"more\":[{}]}}}");
    assertEquals(new Usage(5, 2, 7, 4, 1, true), chunk.usage);
  }

  @Test
  void usageWithGapsIsFilled() throws IOException {
    assertEquals(
        new Usage(5, 2, 7, null, null, true),
        decode(
                "{\"usage\":{\"prompt_tokens\":5.0,\"completion_tokens\":2,\"total_tokens\":null,"
                    + "\"prompt_tokens_details\":null,\"completion_tokens_details\":[]}}")
            .usage);
    assertEquals(
        new Usage(5, 0, 5, null, null, true),
        decode("{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":0}}").usage);
    assertNull(decode("{\"usage\":null}").usage);
    assertNull(decode("{\"usage\":7}").usage);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'prompt_tokens':5}",
        "{'completion_tokens':2,'total_tokens':7}",
        "{'prompt_tokens':-1,'completion_tokens':2}",
        "{'prompt_tokens':5,'completion_tokens':-2,'total_tokens':3}",
        "{'prompt_tokens':5,'completion_tokens':2.5}",
        "{'prompt_tokens':5,'completion_tokens':NaN}",
        "{'prompt_tokens':5,'completion_tokens':'2'}",
        "{'prompt_tokens':5,'completion_tokens':[2]}",
        "{'prompt_tokens':{'a':[1]},'completion_tokens':2}",
        "{'prompt_tokens':5,'completion_tokens':2147483648}",
        "{'prompt_tokens':5,'completion_tokens':99999999999999999999}",
        "{'prompt_tokens':2147483647,'completion_tokens':1}",
        "{'prompt_tokens':5,'completion_tokens':2,'total_tokens':1}",
        "{'prompt_tokens':5,'completion_tokens':2,'total_tokens':-7}",
        "{'prompt_tokens':5,'completion_tokens':2,'prompt_tokens_details':{'cached_tokens':-4}}"
      })
  void usageThatCannotBeTrueIsNone(String odd) throws IOException {
    Chunk chunk = decode("{\"usage\":" + odd.replace('\'', '"') + ",\"id\":\"a\"}");
    assertNull(chunk.usage);
    assertEquals("a", chunk.id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"m\"}}",
        "{\"error\":\"m\"}",
        "{\"choices\":[],\"error\":{}}",
        "{\"object\":\"error\",\"message\":\"m\"}",
        "{\"message\":\"m\",\"code\":500}",
        "{\"detail\":\"m\"}"
      })
  void errorsAreSeen(String error) throws IOException {
    assertTrue(decode(error).isError());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"error\":null,\"choices\":[]}",
        "{\"message\":\"m\",\"choices\":[]}",
        "{\"object\":[\"error\"]}"
      })
  void allElseIsNone(String fine) throws IOException {
    assertFalse(decode(fine).isError());
  }

  @Test
  void pythonsNumbersAreLetThrough() throws IOException {
    assertEquals(
        "a",
        decode("{\"x\":[NaN,Infinity,-Infinity],\"choices\":[{\"delta\":{\"content\":\"a\"}}]}")
            .text);
  }

  @Test
  void unknownNamesAreSkippedHoweverDeep() throws IOException {
    String deep = "[".repeat(900) + "]".repeat(900);
    assertEquals(
        "a", decode("{\"x\":" + deep + ",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}").text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "1",
        "Internal Server Error",
        "{",
        "{\"a\"",
        "{\"a\":}",
        "{} {}",
        "{\"choices\":[{]}",
        "{'a':1}",
        "{\"a\":\"\\x\"}",
        "{\"a\":tru}"
      })
  void whatIsNoObjectIsRefused(String odd) {
    assertThrows(IOException.class, () -> decode(odd));
  }

  @Test
  void depthAndDigitsAreLimited() {
    String deep = "[".repeat(2_000) + "]".repeat(2_000);
    assertThrows(IOException.class, () -> decode("{\"x\":" + deep + "}"));
    assertThrows(IOException.class, () -> decode("{\"x\":" + "9".repeat(2_000) + "}"));
    assertThrows(IOException.class, () -> decode("{\"x\":{\"y\":1." + "9".repeat(2_000) + "}}"));
  }

  @Test
  void surrogateEscapesAreKeptForTheSeam() throws IOException {
    assertEquals("\ud83d", delta("{\"content\":\"\\ud83d\"}").text);
    assertEquals("\ud83d\ude00", delta("{\"content\":\"\\ud83d\\ude00\"}").text);
    assertEquals("é\ud83d", delta("{\"content\":\"é\\ud83d\"}").text);
  }

  @Test
  void namesAreReadUntilBothAreKnown() throws IOException {
    ChunkDecoder decoder = new ChunkDecoder();
    byte[] id = "{\"id\":\"a\"}".getBytes(UTF_8);
    byte[] model = "{\"id\":\"a\",\"model\":\"m\"}".getBytes(UTF_8);
    assertEquals("a", decoder.decode(id, 0, id.length).id);
    assertEquals("m", decoder.decode(model, 0, model.length).model);
    assertEquals("", decoder.decode(model, 0, model.length).model);
  }
}
