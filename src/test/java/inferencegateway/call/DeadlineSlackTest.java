package inferencegateway.call;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DeadlineSlackTest {

  /** What a client of the C core has left on the gateway's clock when its own timer goes off. */
  @ParameterizedTest
  @CsvSource({
    "-1, 1000, true", // ours went off
    "0, 1000, true",
    "100, 1000, true",
    "101, 1000, false",
    "50, 100, true",
    "51, 100, false",
    "9, 5010, true", // 5.001 s, sent as 5.01 s
    "99, 40000, true", // 39.901 s, sent as 40 s
    "1400, 20000, true", // read late
    "2000, 40000, true",
    "2001, 40000, false",
    "5999, 600000, true", // 594.001 s, sent as 600 s
    "30000, 60000, false"
  })
  void resetThatCloseToTheDeadlineIsTheDeadline(long leftMs, long givenMs, boolean due) {
    assertEquals(due, DeadlineSlack.isDue(nanos(leftMs), nanos(givenMs)));
  }

  private static long nanos(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
