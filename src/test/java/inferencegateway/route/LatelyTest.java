package inferencegateway.route;

import static org.junit.jupiter.api.Assertions.assertEquals;

import inferencegateway.chat.Reason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatelyTest {

  private long now = Long.MAX_VALUE - 5; // The monotonic clock may begin anywhere.
  private final Lately lately = new Lately(() -> now);

  private void pass(int seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void endsAreToldApart() {
    lately.ended(Lately.End.FAILED, Reason.UPSTREAM_CONNECT);
    lately.ended(Lately.End.FAILED, Reason.UPSTREAM_AUTH);
    lately.ended(Lately.End.LATE, Reason.MAX_CALL_TIME);
    lately.ended(Lately.End.OTHER, null);
    assertEquals(new Lately.Seen(4, 2, 1, Reason.UPSTREAM_AUTH), lately.seen());
  }

  @Test
  void whatIsOlderThanTwoMinutesIsForgotten() {
    lately.ended(Lately.End.FAILED, Reason.UPSTREAM_AUTH);
    pass(61);
    assertEquals(new Lately.Seen(1, 1, 0, Reason.UPSTREAM_AUTH), lately.seen());
    lately.ended(Lately.End.OTHER, null);
    assertEquals(new Lately.Seen(2, 1, 0, Reason.UPSTREAM_AUTH), lately.seen());
    pass(60);
    assertEquals(new Lately.Seen(1, 0, 0, null), lately.seen());
    pass(600);
    assertEquals(new Lately.Seen(0, 0, 0, null), lately.seen());
  }

  @Test
  void aLongQuietTimeLeavesNothing() {
    lately.ended(Lately.End.FAILED, Reason.UPSTREAM_AUTH);
    pass(130);
    assertEquals(new Lately.Seen(0, 0, 0, null), lately.seen());
  }
}
