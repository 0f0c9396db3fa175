package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PrintedAnswerTest {

  private final StringWriter err = new StringWriter();
  private long millis;

  private final PrintedAnswer answer =
      new PrintedAnswer(
          new Terminal(
              new PrintWriter(new StringWriter()),
              new PrintWriter(err),
              InputStream.nullInputStream(),
              Map.of()),
          false,
          () -> TimeUnit.MILLISECONDS.toNanos(millis));

  @Test
  void rateCountsTheTokensAfterTheFirst() {
    assertEquals(
        "[1 tokens in, 11 out, first token 30 ms, 10.0 tokens/s, total 1.03 s, finish: stop]\n",
        summary(11, 30, 1_030, null));
  }

  @Test
  void gatewaysOwnFirstTokenIsPreferred() {
    assertEquals(
        "[1 tokens in, 11 out, first token 7 ms, 10.0 tokens/s, total 1.03 s, finish: stop]\n",
        summary(11, 30, 1_030, Duration.ofMillis(7)));
  }

  @Test
  void rateOfOneTokenIsNotSaid() {
    assertEquals(
        "[1 tokens in, 1 out, first token 30 ms, total 1.03 s, finish: stop]\n",
        summary(1, 30, 1_030, null));
  }

  @Test
  void rateOfAMomentIsNotSaid() {
    assertEquals(
        "[1 tokens in, 50 out, first token 30 ms, total 0.08 s, finish: stop]\n",
        summary(50, 30, 80, null));
  }

  private String summary(int tokens, long first, long end, Duration firstToken) {
    millis = first;
    answer.text("a");
    millis = end;
    answer.summary(new Ending("", "stop", 1, tokens, firstToken), true);
    return err.toString();
  }
}
