package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever JSON comes, and however its bytes are cut. */
class ChunkDecoderPropertiesTest {

  private static final String[] NAMES = {
    "id",
    "model",
    "choices",
    "delta",
    "message",
    "content",
    "reasoning",
    "reasoning_content",
    "finish_reason",
    "stop_reason",
    "index",
    "usage",
    "error",
    "object",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "prompt_tokens_details",
    "cached_tokens",
    "other"
  };

  @Provide
  Arbitrary<String> json() {
    Arbitrary<String> texts =
        Arbitraries.strings()
            .ofMaxLength(6)
            .map(text -> WireJson.MAPPER.valueToTree(text).toString());
    Arbitrary<String> scalars =
        Arbitraries.oneOf(
            texts,
            Arbitraries.of("null", "true", "0", "1", "-7", "1.5", "1e400", "\"stop\"", "\"\""));
    return Arbitraries.recursive(() -> scalars, ChunkDecoderPropertiesTest::grown, 0, 5);
  }

  private static Arbitrary<String> grown(Arbitrary<String> inner) {
    Arbitrary<String> fields =
        Arbitraries.of(NAMES).flatMap(name -> inner.map(value -> "\"" + name + "\":" + value));
    return Arbitraries.oneOf(
        inner,
        inner.list().ofMaxSize(3).map(items -> "[" + String.join(",", items) + "]"),
        fields.list().ofMaxSize(6).map(items -> "{" + String.join(",", items) + "}"),
        inner.map(value -> "{\"choices\":[{\"index\":0,\"delta\":{\"content\":" + value + "}}]}"));
  }

  /** Duplicate names included: a tree keeps the last as well. */
  @Property(tries = 1_000)
  void readsWhatATreeWouldSay(@ForAll("json") String json) throws IOException {
    JsonNode tree = WireJson.MAPPER.readTree(json);
    byte[] bytes = json.getBytes(UTF_8);
    if (!tree.isObject()) {
      return;
    }
    Chunk chunk = new ChunkDecoder().decode(bytes, 0, bytes.length);
    assertEquals(Expected.of((ObjectNode) tree), Expected.of(chunk), json);
  }

  private record Expected(String id, String text, String reasoning, String finish) {

    static Expected of(Chunk chunk) {
      return new Expected(chunk.id, chunk.text, chunk.reasoning, chunk.finishReason);
    }

    static Expected of(ObjectNode tree) {
      String text = "";
      String reasoning = "";
      String finish = "";
      JsonNode choices = tree.path("choices");
      for (JsonNode choice : choices.isArray() ? choices : List.<JsonNode>of()) {
        if (choice.isObject() && (int) choice.path("index").asDouble() == 0 || isZero(choice)) {
          JsonNode delta = lastOf(choice);
          text += string(delta.path("content"));
          String first = string(delta.path("reasoning"));
          reasoning += first.isEmpty() ? string(delta.path("reasoning_content")) : first;
          finish =
              string(choice.path("finish_reason")).isEmpty()
                  ? finish
                  : string(choice.path("finish_reason"));
        }
      }
      return new Expected(string(tree.path("id")), text, reasoning, finish);
    }

    private static boolean isZero(JsonNode choice) {
      return choice.isObject() && !choice.path("index").isNumber();
    }

    /** Of delta and message, whichever stands last. */
    private static JsonNode lastOf(JsonNode choice) {
      JsonNode last = WireJson.MAPPER.createObjectNode();
      for (var field : choice.properties()) {
        if (field.getKey().equals("delta") || field.getKey().equals("message")) {
          last = field.getValue();
        }
      }
      return last;
    }

    private static String string(JsonNode node) {
      return node.isTextual() ? node.asText() : "";
    }
  }

  @Property(tries = 150)
  void anyCutOfTheBytesGivesTheSameAnswer(
      @ForAll List<String> pieces, @ForAll List<Integer> cuts, @ForAll boolean crlf) {
    StringBuilder body = new StringBuilder(": hello\n\n");
    for (String piece : pieces) {
      String content = WireJson.MAPPER.valueToTree(piece).toString();
      body.append("data: ").append(Backend.chunk("{\"content\":" + content + "}", "null"));
      body.append("\n\n");
    }
    body.append("data: ").append(Backend.STOP).append("\n\ndata: [DONE]\n\n");
    String text = crlf ? body.toString().replace("\n", "\r\n") : body.toString();

    RecordingListener whole = answerTo(text.getBytes(UTF_8), List.of());
    RecordingListener cut = answerTo(text.getBytes(UTF_8), cuts);
    assertEquals(whole.deltas, cut.deltas);
    assertEquals(whole.finish, cut.finish);
    assertEquals(repaired(String.join("", pieces)), cut.text());
  }

  private static String repaired(String text) {
    TextSeam seam = new TextSeam();
    String most = seam.join(text);
    return most + seam.end();
  }

  private static RecordingListener answerTo(byte[] bytes, List<Integer> cuts) {
    Backend backend = new Backend();
    backend.stream();
    FakeTransport.Sent wire = backend.wire().events();
    List<Integer> places = new ArrayList<>();
    cuts.forEach(cut -> places.add(Math.floorMod(cut, bytes.length)));
    places.sort(null);
    int from = 0;
    for (int place : places) {
      wire.body(java.util.Arrays.copyOfRange(bytes, from, place));
      from = place;
    }
    wire.body(java.util.Arrays.copyOfRange(bytes, from, bytes.length)).end();
    return backend.listener;
  }
}
