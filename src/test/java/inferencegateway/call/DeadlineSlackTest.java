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
    "50, 1000, true",
    "51, 1000, false",
    "9, 5010, true", // 5.001 s, sent as 5.01 s
    "99, 40000, true", // 39.901 s, sent as 40 s
    "400, 40000, true",
    "401, 40000, false",
    "999, 120000, true", // 119.001 s, sent as 120 s
    "30000, 60000, false"
  })
  void resetThatCloseToTheDeadlineIsTheDeadline(long leftMs, long givenMs, boolean due) {
    assertEquals(due, DeadlineSlack.isDue(nanos(leftMs), nanos(givenMs)));
  }

  private static long nanos(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
