package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

  private final Clock clock = Clock.fixed(Instant.parse("2026-11-30T10:00:00Z"), ZoneOffset.UTC);

  @Test
  void readsSecondsAndDates() {
    assertEquals(Duration.ofSeconds(2), RetryAfter.parse("2", clock));
    assertEquals(Duration.ofMillis(1_500), RetryAfter.parse(" 1.5 ", clock));
    assertEquals(Duration.ofSeconds(30), RetryAfter.parse("Mon, 30 Nov 2026 10:00:30 GMT", clock));
  }

  @Test
  void isCapped() {
    assertEquals(Duration.ofMinutes(5), RetryAfter.parse("99999999999999999999", clock));
    assertEquals(Duration.ofMinutes(5), RetryAfter.parse("Thu, 30 Nov 2028 10:00:00 GMT", clock));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "0",
        "-1",
        "soon",
        "2s",
        "0x10",
        "Mon, 30 Nov 2026 09:00:00 GMT",
        "1e",
        "NaN"
      })
  void allElseIsNone(String header) {
    assertNull(RetryAfter.parse(header, clock));
  }
}
