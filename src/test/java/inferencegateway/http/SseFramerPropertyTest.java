package inferencegateway.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Assertions;

/** The framer against the standard's text, taken literally. */
class SseFramerPropertyTest {
  private static final List<String> LINES =
      List.of(
          "",
          "",
          "data: {\"x\":\"\u6c49\u5b57\"}",
          "data:no space",
          "data:  two",
          "data",
          "data:",
          "data: ",
          ": comment",
          ":",
          "event: error",
          "id: 1",
          "retry: 5",
          "dat",
          "datax: 1",
          "nonsense",
          "data: [DONE]",
          "data: a:b: c");

  @Property(tries = 500)
  void anyCuttingGivesTheStandardsEvents(@ForAll("streams") String stream, @ForAll long seed) {
    byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
    List<String> expected = reference(stream);
    Assertions.assertEquals(expected, framed(bytes, cuts(bytes.length, new Random(seed))));
    Assertions.assertEquals(expected, framed(bytes, new int[0]));
  }

  @Example
  void everySingleCutOfOneCorpusInEveryLineEnding() {
    for (String ending : List.of("\n", "\r\n", "\r")) {
      String corpus = "\uFEFF" + String.join(ending, LINES) + ending + ending;
      byte[] bytes = corpus.getBytes(StandardCharsets.UTF_8);
      List<String> expected = reference(corpus);
      Assertions.assertFalse(expected.isEmpty());
      int[] all = new int[bytes.length - 1];
      for (int cut = 1; cut < bytes.length; cut++) {
        Assertions.assertEquals(expected, framed(bytes, new int[] {cut}));
        all[cut - 1] = cut;
      }
      Assertions.assertEquals(expected, framed(bytes, all));
    }
  }

  @Provide
  Arbitrary<String> streams() {
    Arbitrary<String> line = Arbitraries.of(LINES);
    Arbitrary<String> ending = Arbitraries.of("\n", "\r\n", "\r");
    Arbitrary<String> ended = net.jqwik.api.Combinators.combine(line, ending).as(String::concat);
    Arbitrary<String> body = ended.list().ofMaxSize(30).map(lines -> String.join("", lines));
    return net.jqwik.api.Combinators.combine(Arbitraries.of("", "\uFEFF"), body, line)
        .as((mark, text, rest) -> mark + text + rest);
  }

  private static int[] cuts(int length, Random random) {
    return length == 0 ? new int[0] : random.ints(5, 0, length).sorted().toArray();
  }

  private static List<String> framed(byte[] bytes, int[] cuts) {
    SseFramerTest.Events events = new SseFramerTest.Events();
    SseFramer framer = new SseFramer(1 << 20, events);
    int from = 0;
    for (int cut : cuts) {
      feed(framer, Arrays.copyOfRange(bytes, from, cut));
      from = cut;
    }
    feed(framer, Arrays.copyOfRange(bytes, from, bytes.length));
    framer.end();
    return events.data;
  }

  /** Wipes the array afterwards, as the client reuses its own. */
  private static void feed(SseFramer framer, byte[] piece) {
    framer.feed(piece, 0, piece.length);
    Arrays.fill(piece, (byte) '!');
  }

  private static List<String> reference(String stream) {
    String text = stream.startsWith("\uFEFF") ? stream.substring(1) : stream;
    List<String> events = new ArrayList<>();
    StringBuilder buffer = new StringBuilder();
    String[] lines = text.split("\r\n|\n|\r", -1);
    for (int i = 0; i < lines.length - 1; i++) { // What follows the last line end is unfinished.
      String line = lines[i];
      if (line.isEmpty()) {
        if (buffer.length() > 0) {
          events.add(buffer.substring(0, buffer.length() - 1));
        }
        buffer.setLength(0);
        continue;
      }
      int colon = line.indexOf(':');
      String field = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1);
      if (field.equals("data")) {
        buffer.append(value.startsWith(" ") ? value.substring(1) : value).append('\n');
      }
    }
    return events;
  }
}
