package inferencegateway.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatorEngineTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Duration NEVER = Duration.ofMinutes(10);
  private static final SimulatorConfig QUICK =
      SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ZERO);

  private Simulator simulator = new Simulator(QUICK);

  private void start(SimulatorConfig config) {
    simulator = new Simulator(config);
    simulator.start();
  }

  @AfterEach
  void close() {
    simulator.close();
  }

  @Test
  void slotsBoundWhatRunsAndTheQueueIsFirstComeFirstServed() throws InterruptedException {
    start(SimulatorConfig.defaults().withPace(Duration.ZERO, NEVER).withSlots(1, 5));
    RawClient first = new RawClient(simulator).post(RawClient.body(true, "1", ""));
    first.readUntil("\"assistant\"");
    try (RawClient second = new RawClient(simulator).post(RawClient.body(true, "2", ""));
        RawClient third = waitingBehind(second)) {
      assertEquals(1, simulator.counters().running());
      assertEquals(2, simulator.counters().waiting());
      first.leave();
      second.readUntil("\"assistant\"");
      assertEquals(1, simulator.counters().waiting());
      second.leave();
      third.readUntil("\"assistant\"");
      assertEquals(0, simulator.counters().waiting());
    }
  }

  private RawClient waitingBehind(RawClient other) {
    other.readUntil("\r\n\r\n");
    RawClient client = new RawClient(simulator).post(RawClient.body(true, "3", ""));
    client.readUntil("\r\n\r\n");
    return client;
  }

  @Test
  void fullQueueIsRefusedAsVllmDoes() {
    start(SimulatorConfig.defaults().withPace(NEVER, NEVER).withSlots(1, 0));
    try (RawClient running = new RawClient(simulator).post(RawClient.body(true, "1", ""))) {
      running.readUntil("\r\n\r\n");
      Http refused = Http.of(RawClient.stream(simulator, "2", ""));
      assertEquals(503, refused.status());
      assertEquals("QueueOverflowError", refused.json().at("/error/type").asText());
    }
  }

  @Test
  void wedgedEngineStandsStillWhileHealthIsFine() throws InterruptedException {
    start(QUICK);
    simulator.wedge(true);
    try (RawClient client = new RawClient(simulator)) {
      client.post(RawClient.body(true, "Hello", "")).readUntil("\r\n\r\n");
      try (RawClient health = new RawClient(simulator)) {
        assertEquals(200, Http.of(health.get("/health", "connection: close").readToEnd()).status());
      }
      assertEquals(0, simulator.counters().tokens());
      simulator.wedge(false);
      assertTrue(client.readUntil("0\r\n\r\n").contains("[DONE]"));
    }
  }

  @Test
  void wedgingRequestHoldsUpTheOthersWhileItLives() {
    start(QUICK);
    RawClient wedge =
        new RawClient(simulator).post(RawClient.body(true, "x", ""), "x-sim-fault: wedge");
    wedge.readUntil("\r\n\r\n");
    try (RawClient other = new RawClient(simulator).post(RawClient.body(true, "Hello", ""))) {
      other.readUntil("\r\n\r\n");
      assertEquals(0, simulator.counters().tokens());
      wedge.leave();
      assertTrue(other.readUntil("0\r\n\r\n").contains("[DONE]"));
    }
  }

  @Test
  void tokensAreMergedForAClientThatDoesNotRead() throws InterruptedException {
    start(SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ofNanos(1_000)));
    try (RawClient client = new RawClient(simulator)) {
      client.post(
          RawClient.body(true, "Hello", ",\"ignore_eos\":true,\"max_tokens\":60000"),
          "connection: close");
      long limit = System.nanoTime() + SOON.toNanos();
      while (simulator.counters().running() + simulator.counters().waiting() > 0
          || simulator.counters().finished() == 0) {
        assertTrue(System.nanoTime() < limit, "generates without waiting for the client");
        Thread.onSpinWait();
      }
      List<String> events = Http.of(client.readToEnd()).events();
      assertTrue(events.size() < 59_000, events.size() + " events");
      assertEquals("[DONE]", events.get(events.size() - 1));
    }
    assertTrue(simulator.awaitIdle(SOON));
    assertEquals(60_000, simulator.chats().get(0).tokens());
  }

  @Test
  void flatOutAnswerHasAChunkPerToken() {
    start(QUICK);
    Http answer =
        Http.of(RawClient.stream(simulator, "Hello", ",\"ignore_eos\":true,\"max_tokens\":5000"));
    assertEquals(5_001, answer.chunks().size());
  }

  @Test
  void manyPacedStreamsKeepTheirPace() throws Exception {
    start(
        SimulatorConfig.defaults()
            .withPace(Duration.ofMillis(20), Duration.ofMillis(10))
            .withSlots(300, 0)
            .withAnswerTokens(50));
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      RawClient client = new RawClient(simulator);
      clients.add(client);
      client.post(RawClient.body(true, "Hello", ""), "connection: close");
    }
    for (RawClient client : clients) {
      readers.add(CompletableFuture.runAsync(client::readToEnd));
    }
    CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    clients.forEach(RawClient::close);
    assertTrue(simulator.awaitIdle(SOON));
    for (RecordedRequest request : simulator.chats()) {
      long millis = TimeUnit.NANOSECONDS.toMillis(request.end().getAsLong() - request.arrival());
      // 20 ms and 49 gaps of 10, a fifth less by chance: never early; late only by a busy machine.
      assertTrue(millis >= 400 && millis < 5_000, millis + " ms");
    }
  }

  @Test
  void restartKeepsThePortAndDropsWhatRan() throws InterruptedException {
    start(SimulatorConfig.defaults().withPace(Duration.ZERO, NEVER));
    int port = simulator.port();
    try (RawClient client = new RawClient(simulator).post(RawClient.body(true, "Hello", ""))) {
      client.readUntil("\"assistant\"");
      simulator.stop();
      assertFalse(client.readToEnd().contains("[DONE]"));
    }
    assertThrows(UncheckedIOException.class, () -> new RawClient(simulator).close());
    simulator.start();
    assertEquals(port, simulator.port());
    try (RawClient client = new RawClient(simulator)) {
      assertEquals(200, Http.of(client.get("/health", "connection: close").readToEnd()).status());
    }
    assertTrue(simulator.awaitIdle(SOON));
    RecordedRequest dropped = simulator.chats().get(0);
    assertTrue(dropped.aborted() && dropped.disconnect().isEmpty());
  }

  @Test
  void exitFaultStopsTheServer() throws InterruptedException {
    start(QUICK);
    assertEquals(
        500,
        Http.of(RawClient.unary(simulator, "[[sim:status=500-empty;exit-after=1ms]]", ""))
            .status());
    simulator.awaitStop();
    assertThrows(UncheckedIOException.class, () -> new RawClient(simulator).close());
  }

  @Test
  void takenPortIsToldInWords() {
    start(QUICK);
    try (Simulator second = new Simulator(QUICK.withAddress("127.0.0.1", simulator.port()))) {
      UncheckedIOException taken = assertThrows(UncheckedIOException.class, second::start);
      assertTrue(
          String.valueOf(taken.getMessage()).contains("cannot listen on"), taken.getMessage());
    }
  }

  @Test
  void pausedAcceptingAnswersNobodyUntilItGoesOn() {
    start(QUICK);
    simulator.pauseAccepting(true);
    // One connection may already be on its way through the accept that was armed before.
    try (RawClient first = new RawClient(simulator).get("/health", "connection: close");
        RawClient second = new RawClient(simulator).get("/health", "connection: close")) {
      simulator.pauseAccepting(false);
      assertEquals(200, Http.of(first.readToEnd()).status());
      assertEquals(200, Http.of(second.readToEnd()).status());
    }
  }

  @Test
  void servesOverAUnixSocketToo(@TempDir Path folder) throws IOException {
    Path path = folder.resolve("vllm.sock");
    start(QUICK.withSocketPath(path.toString()));
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(path));
      channel.write(
          StandardCharsets.UTF_8.encode(
              "GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
      ByteBuffer answer = ByteBuffer.allocate(4_096);
      while (channel.read(answer) >= 0) {
        assertTrue(answer.hasRemaining());
      }
      assertTrue(StandardCharsets.UTF_8.decode(answer.flip()).toString().contains("0.29.0"));
    }
    simulator.stop();
    assertFalse(Files.exists(path));
  }
}
