package inferencegateway.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.config.HealthConfig;
import inferencegateway.health.Readiness.Upstream;
import inferencegateway.upstream.ProbeAnswer;
import inferencegateway.upstream.ProbeAnswer.Down;
import inferencegateway.upstream.ProbeAnswer.Kind;
import inferencegateway.upstream.ProbeAnswer.Up;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ProberTest {

  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration DOWN_INTERVAL = Duration.ofSeconds(1);
  private static final HealthConfig CONFIG =
      new HealthConfig(INTERVAL, DOWN_INTERVAL, 3, Duration.ofSeconds(2), Duration.ofSeconds(60));

  private static final ProbeAnswer UP = new Up(List.of("m"), List.of("m"));
  private static final ProbeAnswer REFUSED = new Down(Kind.REFUSED, "connection refused");
  private static final ProbeAnswer TIMEOUT = new Down(Kind.TIMEOUT, "no answer in 2 s");

  private final ManualSchedule schedule = new ManualSchedule();
  private final Readiness readiness = new Readiness();
  private final List<List<String>> told = new ArrayList<>();
  private final List<Consumer<ProbeAnswer>> asked = new ArrayList<>();
  private ProbeAnswer answer = UP;
  private boolean silent;
  private final Prober prober = prober(this::probe, up -> told.add(up.models()), schedule);

  private final Logger logger = (Logger) LoggerFactory.getLogger(Prober.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  private Prober prober(BackendProbe probe, Consumer<ProbeAnswer.Up> lists, Schedule schedule) {
    return new Prober("gpu", CONFIG, probe, listener(lists), schedule);
  }

  private Prober.Listener listener(Consumer<ProbeAnswer.Up> lists) {
    return new Prober.Listener() {
      @Override
      public void probed(Upstream state, boolean wasGood) {
        readiness.upstream(state);
      }

      @Override
      public void lists(ProbeAnswer.Up listed) {
        lists.accept(listed);
      }
    };
  }

  private void probe(Duration timeout, Consumer<ProbeAnswer> whenDone) {
    asked.add(whenDone);
    if (!silent) {
      whenDone.accept(answer);
    }
  }

  @BeforeEach
  void listenToLog() {
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void leaveLog() {
    logger.detachAppender(logged);
  }

  private void startedUp() {
    prober.start();
    schedule.advance(Duration.ZERO);
    assertEquals(Upstream.UP, readiness.upstream());
  }

  private void nextProbeFinds(ProbeAnswer result, Duration in) {
    answer = result;
    schedule.advance(in);
  }

  @Test
  void oneGoodProbeMeansUp() {
    startedUp();
    assertEquals(1, asked.size());
    assertEquals(List.of("m"), prober.models());
  }

  @Test
  void upIsProbedEveryIntervalAndDownEveryDownInterval() {
    startedUp();
    schedule.advance(INTERVAL.minusMillis(1));
    assertEquals(1, asked.size());
    schedule.advance(Duration.ofMillis(1));
    assertEquals(2, asked.size());
    answer = REFUSED;
    schedule.advance(INTERVAL.multipliedBy(3));
    assertEquals(Upstream.DOWN, readiness.upstream());
    int before = asked.size();
    schedule.advance(DOWN_INTERVAL.multipliedBy(4));
    assertEquals(before + 4, asked.size());
  }

  @Test
  void twoFailuresChangeNothingTheThirdMeansDown() {
    startedUp();
    nextProbeFinds(TIMEOUT, INTERVAL);
    // In doubt it looks more often.
    nextProbeFinds(TIMEOUT, DOWN_INTERVAL);
    assertEquals(Upstream.UP, readiness.upstream());
    nextProbeFinds(TIMEOUT, DOWN_INTERVAL);
    assertEquals(Upstream.DOWN, readiness.upstream());
  }

  @Test
  void aGoodProbeInBetweenBeginsTheCountAnew() {
    startedUp();
    ProbeAnswer before = UP;
    for (ProbeAnswer found : List.of(TIMEOUT, TIMEOUT, UP, TIMEOUT, TIMEOUT)) {
      nextProbeFinds(found, before.equals(UP) ? INTERVAL : DOWN_INTERVAL);
      assertEquals(Upstream.UP, readiness.upstream());
      before = found;
    }
  }

  @Test
  void refusedRightAfterServerErrorMeansDownAtOnce() {
    startedUp();
    schedule.advance(Duration.ofSeconds(2));
    answer = REFUSED;
    prober.sawServerError();
    schedule.advance(DOWN_INTERVAL);
    assertEquals(Upstream.DOWN, readiness.upstream());
  }

  @Test
  void refusedSomeSecondsAfterServerErrorStillCountsAtOnce() {
    startedUp();
    prober.sawServerError();
    schedule.advance(Duration.ofSeconds(5));
    assertEquals(Upstream.UP, readiness.upstream());
    nextProbeFinds(REFUSED, DOWN_INTERVAL);
    assertEquals(Upstream.DOWN, readiness.upstream());
  }

  @Test
  void serverErrorLongAgoIsForgotten() {
    startedUp();
    prober.sawServerError();
    schedule.advance(Duration.ofSeconds(20));
    nextProbeFinds(REFUSED, INTERVAL);
    assertEquals(Upstream.UP, readiness.upstream());
  }

  @Test
  void manyServerErrorsDoNotDelayTheNextProbe() {
    startedUp();
    schedule.advance(Duration.ofSeconds(2));
    answer = REFUSED;
    for (int i = 0; i < 20; i++) {
      prober.sawServerError();
      schedule.advance(Duration.ofMillis(100));
    }
    assertEquals(Upstream.DOWN, readiness.upstream());
  }

  @Test
  void refusedKeyMeansDownAtOnce() {
    startedUp();
    nextProbeFinds(new Down(Kind.AUTH, "401"), INTERVAL);
    assertEquals(Upstream.DOWN, readiness.upstream());
  }

  @Test
  void firstFailureAtStartMeansDown() {
    answer = REFUSED;
    prober.start();
    schedule.advance(Duration.ZERO);
    assertEquals(Upstream.DOWN, readiness.upstream());
    nextProbeFinds(UP, DOWN_INTERVAL);
    assertEquals(Upstream.UP, readiness.upstream());
  }

  @Test
  void probeThatNeverEndsCountsAsFailedAndIsNotListenedToLater() {
    startedUp();
    silent = true;
    schedule.advance(Duration.ofSeconds(60));
    assertEquals(Upstream.DOWN, readiness.upstream());
    asked.get(1).accept(UP);
    schedule.advance(Duration.ZERO);
    assertEquals(Upstream.DOWN, readiness.upstream());
  }

  @Test
  void secondAnswerOfOneProbeIsIgnored() {
    startedUp();
    for (int i = 0; i < 5; i++) {
      asked.get(0).accept(REFUSED);
    }
    schedule.advance(Duration.ZERO);
    assertEquals(Upstream.UP, readiness.upstream());
  }

  @Test
  void probeThatThrowsCountsAsFailedAndProbingGoesOn() {
    Prober throwing =
        new Prober(
            "gpu",
            CONFIG,
            (timeout, whenDone) -> {
              asked.add(whenDone);
              throw new IllegalStateException("probe");
            },
            listener(up -> told.add(up.models())),
            schedule);
    throwing.start();
    schedule.advance(DOWN_INTERVAL.multipliedBy(3));
    assertEquals(Upstream.DOWN, readiness.upstream());
    assertEquals(4, asked.size());
  }

  @Test
  void noStateLastsUnderOneSecondHoweverShortTheIntervals() {
    Duration ms = Duration.ofMillis(10);
    Prober hasty =
        new Prober(
            "gpu",
            new HealthConfig(ms, ms, 1, Duration.ofSeconds(1), Duration.ofSeconds(60)),
            this::probe,
            listener(up -> told.add(up.models())),
            schedule);
    hasty.start();
    schedule.advance(Duration.ZERO);
    int flips = 0;
    Upstream last = readiness.upstream();
    for (int i = 0; i < 400; i++) {
      answer = i % 2 == 0 ? REFUSED : UP;
      schedule.advance(ms);
      flips += readiness.upstream() == last ? 0 : 1;
      last = readiness.upstream();
    }
    assertTrue(flips <= 4, "flips in 4 s: " + flips);
  }

  @Test
  void modelsAreToldOnlyWhenTheyChange() {
    startedUp();
    schedule.advance(INTERVAL.multipliedBy(2));
    nextProbeFinds(new Up(List.of("m", "n"), List.of("m", "n")), INTERVAL);
    nextProbeFinds(REFUSED, INTERVAL.multipliedBy(4));
    assertEquals(List.of(List.of("m"), List.of("m", "n")), told);
    assertEquals(List.of("m", "n"), prober.models());
  }

  @Test
  void logsTransitionsOnlyAndSaysWhatToCheck() {
    startedUp();
    nextProbeFinds(REFUSED, Duration.ofSeconds(60));
    nextProbeFinds(new Down(Kind.AUTH, "401"), Duration.ofSeconds(60));
    nextProbeFinds(UP, Duration.ofSeconds(60));
    List<String> lines =
        logged.list.stream().map(e -> e.getLevel() + " " + e.getFormattedMessage()).toList();
    assertEquals(4, lines.size(), lines.toString());
    assertEquals(Level.INFO, logged.list.get(0).getLevel());
    assertTrue(
        lines.get(1).startsWith("WARN Backend gpu is down: connection refused. Nobody listens"));
    assertTrue(lines.get(2).contains("`api-key-file`"), lines.get(2));
    assertTrue(lines.get(3).startsWith("INFO Backend gpu is up"), lines.get(3));
  }

  @Test
  void lateGoodProbeDoesNotUndoTheDrain() {
    startedUp();
    readiness.warm();
    silent = true;
    schedule.advance(INTERVAL);
    readiness.drain();
    asked.get(asked.size() - 1).accept(UP);
    schedule.advance(Duration.ZERO);
    assertTrue(!readiness.isReady());
  }

  @Test
  void stopEndsProbing() {
    startedUp();
    prober.stop();
    schedule.advance(Duration.ofMinutes(5));
    assertEquals(1, asked.size());
  }

  @Test
  void runsOnItsOwnThreadAndTakesAnswersFromOthers() throws InterruptedException {
    CountDownLatch listed = new CountDownLatch(1);
    ProbeThread thread = new ProbeThread();
    Prober real =
        new Prober(
            "gpu",
            CONFIG,
            (timeout, whenDone) -> new Thread(() -> whenDone.accept(UP)).start(),
            listener(up -> listed.countDown()),
            thread);
    real.start();
    try {
      assertTrue(listed.await(10, TimeUnit.SECONDS));
    } finally {
      real.stop();
      thread.close();
    }
    real.sawServerError();
  }
}
