package inferencegateway.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpAnswerTest {

  private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  private final List<Long> stamps = new ArrayList<>();
  private final HttpAnswer answer = new HttpAnswer(stamps::add);

  @Test
  void readsStampsAndTheEndOfAStream() {
    feed(CHUNKED + "1f\r\ndata: {\"delta\":{\"content\":\" 123\"}}\n\n\r\n");
    feed("2b\r\ndata: {\"delta\":{\"content\":\" 45 67\"}}\n\n\r\n");
    assertFalse(answer.isComplete());
    feed("0\r\n\r\n");
    assertTrue(answer.isComplete());
    assertEquals(List.of(123L, 45L, 67L), stamps);
  }

  @Test
  void readsAnAnswerOfKnownLengthAndThenTheNext() {
    for (int i = 0; i < 2; i++) {
      feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{");
      assertFalse(answer.isComplete());
      feed("}");
      assertTrue(answer.isComplete());
      answer.restart();
    }
  }

  @Test
  void anErrorIsAFailure() {
    feed("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    assertTrue(answer.isFailed());
  }

  private void feed(String text) {
    for (byte value : text.getBytes(US_ASCII)) {
      answer.process(value);
    }
  }
}
