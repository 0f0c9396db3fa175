package inferencegateway.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client leaves, in every phase: seen at once, generation stops, the slot is free. */
class SimulatorDisconnectTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Duration NEVER = Duration.ofMinutes(10);

  private Simulator simulator = new Simulator(SimulatorConfig.defaults());

  @BeforeEach
  void start() {
    restartWith(Duration.ZERO, NEVER, 4);
  }

  @AfterEach
  void close() {
    simulator.close();
  }

  private void restartWith(Duration firstToken, Duration interToken, int slots) {
    simulator.close();
    SimulatorConfig config =
        SimulatorConfig.defaults().withPace(firstToken, interToken).withSlots(slots, 10);
    simulator = new Simulator(config);
    simulator.start();
  }

  private void leaveAndCheck(RawClient client, int chat, int tokens) throws InterruptedException {
    long left = System.nanoTime();
    client.close();
    RecordedRequest seen = awaitDisconnect(chat);
    long late = TimeUnit.NANOSECONDS.toMillis(seen.disconnect().getAsLong() - left);
    assertTrue(late <= 100, "seen after " + late + " ms");
    assertTrue(seen.aborted());
    assertEquals(tokens, seen.tokens());
  }

  private RecordedRequest awaitDisconnect(int chat) {
    long limit = System.nanoTime() + SOON.toNanos();
    while (simulator.chats().get(chat).end().isEmpty() && System.nanoTime() < limit) {
      Thread.onSpinWait();
    }
    return simulator.chats().get(chat);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void beforeTheFirstToken(boolean stream) throws InterruptedException {
    restartWith(NEVER, NEVER, 4);
    RawClient client = new RawClient(simulator).post(RawClient.body(stream, "Hello", ""));
    assertTrue(simulator.awaitRequests(1, SOON));
    leaveAndCheck(client, 0, 0);
    assertTrue(simulator.awaitIdle(SOON));
    assertEquals(1, simulator.counters().aborted());
    assertEquals(1, simulator.counters().disconnects());
    assertEquals(0, simulator.counters().running());
    assertEquals(0, simulator.counters().tokens());
  }

  @Test
  void betweenTokens() throws InterruptedException {
    RawClient client = new RawClient(simulator).post(RawClient.body(true, "Hello", ",\"seed\":1"));
    client.readUntil("\"content\":\"Nothing\"");
    leaveAndCheck(client, 0, 1);
  }

  @Test
  void byReset() throws InterruptedException {
    RawClient client = new RawClient(simulator).post(RawClient.body(true, "Hello", ""));
    client.readUntil("\"content\":\"\"");
    client.reset();
    assertTrue(awaitDisconnect(0).aborted());
    assertTrue(simulator.awaitIdle(SOON));
  }

  @Test
  void whileQueued() throws InterruptedException {
    restartWith(Duration.ZERO, NEVER, 1);
    try (RawClient running = new RawClient(simulator)) {
      running.post(RawClient.body(true, "Hello", "")).readUntil("\"assistant\"");
      RawClient queued = new RawClient(simulator).post(RawClient.body(true, "Hello", ""));
      queued.readUntil("\r\n\r\n");
      assertEquals(1, simulator.counters().waiting());
      leaveAndCheck(queued, 1, 0);
      assertEquals(0, simulator.counters().waiting());
      assertEquals(1, simulator.counters().running());
    }
    assertTrue(simulator.awaitIdle(SOON));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stall-after=0", "stall-after=2", "stall-before-headers", "wedge"})
  void whileStalledByAFault(String fault) throws InterruptedException {
    restartWith(Duration.ZERO, Duration.ZERO, 4);
    RawClient client =
        new RawClient(simulator).post(RawClient.body(true, "Hello", ""), "x-sim-fault: " + fault);
    assertTrue(simulator.awaitRequests(1, SOON));
    if (!fault.equals("stall-before-headers")) {
      client.readUntil("\r\n\r\n");
    }
    if (fault.equals("stall-after=2")) {
      client.readUntil("\"content\":\"\"");
      client.readUntil("\"content\":");
      client.readUntil("\"content\":");
    }
    assertEquals(1, simulator.counters().running());
    leaveAndCheck(client, 0, fault.equals("stall-after=2") ? 2 : 0);
    assertTrue(simulator.awaitIdle(SOON));
  }

  @Test
  void whileTheClientDoesNotRead() throws InterruptedException {
    restartWith(Duration.ZERO, Duration.ZERO, 4);
    String body = RawClient.body(true, "Hello", ",\"ignore_eos\":true,\"max_tokens\":120000");
    RawClient client = new RawClient(simulator).post(body);
    client.readUntil("\"assistant\"");
    awaitNoProgress();
    int tokens = simulator.chats().get(0).tokens();
    assertTrue(tokens < 120_000);
    client.leave();
    RecordedRequest seen = awaitDisconnect(0);
    assertTrue(seen.aborted());
    // The system may still have taken a few.
    assertTrue(seen.tokens() < tokens + 2_000, seen.tokens() + " tokens");
  }

  private void awaitNoProgress() {
    long limit = System.nanoTime() + SOON.toNanos();
    long quietSince = System.nanoTime();
    int before = -1;
    while (System.nanoTime() < limit && System.nanoTime() - quietSince < 100_000_000) {
      int now = simulator.chats().get(0).tokens();
      if (now != before) {
        quietSince = System.nanoTime();
      }
      before = now;
      Thread.onSpinWait();
    }
  }

  @Test
  void afterTheEndIsNoDisconnect() throws InterruptedException {
    restartWith(Duration.ZERO, Duration.ZERO, 4);
    try (RawClient client = new RawClient(simulator)) {
      client.post(RawClient.body(true, "Hello", "")).readUntil("0\r\n\r\n");
    }
    assertTrue(simulator.awaitIdle(SOON));
    assertEquals(0, simulator.counters().disconnects());
    assertFalse(simulator.chats().get(0).aborted());
  }
}
