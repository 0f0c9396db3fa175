package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A raw response taken apart, strictly: what is not as it should be throws. */
record Http(int status, String head, String body) {

  private static final ObjectMapper JSON = new ObjectMapper();

  static Http of(String raw) {
    int end = raw.indexOf("\r\n\r\n");
    String head = raw.substring(0, end);
    String rest = raw.substring(end + 4);
    boolean chunked = head.contains("transfer-encoding: chunked");
    return new Http(Integer.parseInt(head.substring(9, 12)), head, chunked ? dechunk(rest) : rest);
  }

  private static String dechunk(String chunks) {
    StringBuilder body = new StringBuilder();
    int at = 0;
    while (true) {
      int line = chunks.indexOf("\r\n", at);
      int size = Integer.parseInt(chunks.substring(at, line), 16);
      if (size == 0) {
        return body.toString();
      }
      body.append(chunks, line + 2, line + 2 + size);
      at = line + 2 + size + 2;
    }
  }

  JsonNode json() {
    return json(body);
  }

  static JsonNode json(String latin1) {
    try {
      return JSON.readTree(new String(latin1.getBytes(ISO_8859_1), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The data of each event, of plain streams only. */
  List<String> events() {
    List<String> data = new ArrayList<>();
    for (String event : body.split("\n\n")) {
      if (!event.startsWith("data: ")) {
        throw new IllegalStateException("not a plain event: " + event);
      }
      data.add(event.substring(6));
    }
    return data;
  }

  /** The chunks without the [DONE]. */
  List<JsonNode> chunks() {
    return events().stream().filter(e -> !e.equals("[DONE]")).map(Http::json).toList();
  }

  /** All contents of the chunks together. */
  String text() {
    StringBuilder text = new StringBuilder();
    chunks().forEach(c -> text.append(c.at("/choices/0/delta/content").asText("")));
    return text.toString();
  }
}
