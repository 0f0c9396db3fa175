package inferencegateway.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class SseFramerTest {
  private final Events events = new Events();
  private final SseFramer framer = new SseFramer(1_000, events);

  /** What a sink was told. */
  static final class Events implements SseFramer.Sink {
    final List<String> data = new ArrayList<>();
    int tooLarge;
    byte[] lastArray = {};

    @Override
    public void onEvent(byte[] bytes, int offset, int length) {
      lastArray = bytes;
      data.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
    }

    @Override
    public void onTooLarge() {
      tooLarge++;
    }
  }

  private byte[] feed(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    framer.feed(bytes, 0, bytes.length);
    return bytes;
  }

  @Test
  void wholeEventIsHandedOutWithoutCopying() {
    byte[] fed = feed("data: {\"a\":1}\n\n");
    assertEquals(List.of("{\"a\":1}"), events.data);
    assertSame(fed, events.lastArray);
    assertFalse(framer.end());
  }

  @Test
  void examplesOfTheStandard() {
    feed("data: YHOO\ndata: +2\ndata: 10\n\n");
    feed(
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n");
    feed("data\n\ndata\ndata\n\ndata:");
    assertEquals(
        List.of("YHOO\n+2\n10", "first event", "second event", " third event", "", "\n"),
        events.data);
    assertTrue(framer.end());
  }

  @Test
  void otherFieldsAreReadOver() {
    feed("event: error\nid: 7\nretry: 10\ndatabase: x\nDATA: y\n data: z\n\ndata: yes\n\n");
    assertEquals(List.of("yes"), events.data);
  }

  @Test
  void byteOrderMarkCountsAtTheStartOnly() {
    feed("\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n");
    assertEquals(List.of("a", "\uFEFFc"), events.data);
  }

  @Test
  void carriageReturnEndsALineWithoutWaiting() {
    feed("data: a\r\r");
    assertEquals(List.of("a"), events.data);
    feed("\ndata: b\r");
    feed("\n\r");
    feed("\n");
    assertEquals(List.of("a", "b"), events.data);
    assertFalse(framer.end());
  }

  @Test
  void unfinishedEventIsDiscarded() {
    feed("data: a\n");
    assertTrue(framer.end());
    feed("\n");
    assertEquals(List.of(), events.data);
  }

  @Test
  void largestEventPassesAndOneByteMoreDoesNot() {
    feed("data: " + "x".repeat(1_000) + "\n\n");
    assertEquals(1, events.data.size());
    feed("data: " + "x".repeat(1_001) + "\n\ndata: late\n\n");
    assertEquals(1, events.tooLarge);
    assertEquals(1, events.data.size());
    feed("data: later\n\n");
    assertEquals(1, events.data.size());
  }

  @Test
  void endlessLineIsStoppedEarly() {
    byte[] piece = "y".repeat(100).getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 100 && events.tooLarge == 0; i++) {
      framer.feed(piece, 0, piece.length);
      assertTrue(i < 11);
    }
    assertEquals(1, events.tooLarge);
  }

  @Test
  void manyDataLinesCountTogether() {
    for (int i = 0; i < 20; i++) {
      feed("data: " + "z".repeat(100) + "\n");
    }
    assertEquals(1, events.tooLarge);
  }

  @Test
  void sinkMayEndTheFramer() {
    List<String> seen = new ArrayList<>();
    SseFramer[] self = new SseFramer[1];
    self[0] =
        new SseFramer(
            100,
            new SseFramer.Sink() {
              @Override
              public void onEvent(byte[] data, int offset, int length) {
                seen.add(new String(data, offset, length, StandardCharsets.US_ASCII));
                self[0].end();
              }

              @Override
              public void onTooLarge() {
                throw new AssertionError();
              }
            });
    byte[] bytes = "data: a\n\ndata: b\n\n".getBytes(StandardCharsets.US_ASCII);
    self[0].feed(bytes, 0, bytes.length);
    assertEquals(List.of("a"), seen);
  }

  @Test
  void hugeLineInSmallPiecesCostsLinearTime() {
    Events huge = new Events();
    SseFramer large = new SseFramer(16 << 20, huge);
    byte[] piece = "v".repeat(512).getBytes(StandardCharsets.US_ASCII);
    Assertions.assertTimeout(
        Duration.ofSeconds(5),
        () -> {
          large.feed("data: ".getBytes(StandardCharsets.US_ASCII), 0, 6);
          for (int i = 0; i < (16 << 20) / piece.length; i++) {
            large.feed(piece, 0, piece.length);
          }
          large.feed(new byte[] {'\n', '\n'}, 0, 2);
        });
    assertEquals(16 << 20, huge.data.get(0).length());
    assertEquals(0, huge.tooLarge);
  }
}
