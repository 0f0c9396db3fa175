package inferencegateway.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.DrainConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of a stop, in time that moves by itself. */
class DrainTest {

  private final List<String> events = new ArrayList<>();
  private final Duration never = Duration.ofDays(1);
  private Duration terminatesAfter = never;
  private Duration hurryAfter = never;
  private long now;
  private Drain drain = drain(() -> note("mark"));

  private Drain drain(Runnable mark) {
    return new Drain(
        new DrainConfig(Duration.ofSeconds(5), Duration.ofSeconds(30)),
        new Server(),
        new Drain.Steps(mark, () -> note("complete watches"), () -> note("end calls")),
        new Time());
  }

  private void note(String event) {
    events.add(Duration.ofNanos(now).toMillis() + " " + event);
  }

  @Test
  void goesThroughPauseGraceFlushAndClose() {
    drain.run();
    assertEquals(
        List.of(
            "0 mark",
            "5000 shutdown",
            "5000 complete watches",
            "35000 end calls",
            "37000 shutdownNow"),
        events);
    assertEquals(38_000, Duration.ofNanos(now).toMillis());
  }

  @Test
  void pauseIsKeptAlthoughNothingRunsAndTheRestIsNot() {
    terminatesAfter = Duration.ZERO;
    drain.run();
    assertEquals(List.of("0 mark", "5000 shutdown", "5000 complete watches"), events);
  }

  @Test
  void lastCallThatEndsWithinTheGraceEndsTheDrain() {
    terminatesAfter = Duration.ofSeconds(12);
    drain.run();
    assertEquals(3, events.size());
    assertEquals(12_000, Duration.ofNanos(now).toMillis());
  }

  @Test
  void callsThatEndWhenToldNeedNoForce() {
    terminatesAfter = Duration.ofMillis(35_500);
    drain.run();
    assertEquals("35000 end calls", events.get(3));
    assertTrue(now < Duration.ofSeconds(36).toNanos());
  }

  @Test
  void hurryDuringThePauseSkipsToTheEnd() {
    hurryAfter = Duration.ofSeconds(1);
    drain.run();
    assertEquals(
        List.of(
            "0 mark",
            "1000 shutdown",
            "1000 complete watches",
            "1000 end calls",
            "1000 shutdownNow"),
        events);
    assertTrue(now <= Duration.ofSeconds(2).toNanos());
  }

  @Test
  void hurryDuringTheGraceSkipsToTheEnd() {
    hurryAfter = Duration.ofSeconds(20);
    drain.run();
    assertEquals("20000 shutdownNow", events.get(4));
  }

  @Test
  void hurryBeforeTheStopLeavesNoWait() {
    drain.stopNow();
    drain.run();
    assertEquals("0 shutdownNow", events.get(4));
  }

  @Test
  void failingStepDoesNotKeepItFromStopping() {
    drain =
        drain(
            () -> {
              throw new IllegalStateException("mark");
            });
    drain.run();
    assertEquals("37000 shutdownNow", events.get(3));
  }

  @Test
  void interruptSkipsToTheEndAndIsKept() {
    Thread.currentThread().interrupt();
    drain.run();
    assertTrue(Thread.interrupted());
    assertEquals("0 shutdownNow", events.get(4));
  }

  private final class Time implements Pace {
    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      now += duration.toNanos();
      if (now >= hurryAfter.toNanos()) {
        drain.stopNow();
      }
    }
  }

  private final class Server implements Stoppable {
    private boolean shut;

    @Override
    public void shutdown() {
      shut = true;
      note("shutdown");
    }

    @Override
    public void shutdownNow() {
      note("shutdownNow");
    }

    @Override
    public boolean isTerminated() {
      return shut && now >= terminatesAfter.toNanos();
    }
  }
}
