package inferencegateway.health;

import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.NOT_SERVING;
import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVICE_UNKNOWN;
import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.health.Readiness.Upstream;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReadinessTest {

  private static final long LONG = 10;

  private final Readiness readiness = new Readiness();
  private final List<OneServer> servers = new ArrayList<>();
  private ManagedChannel channel;

  @BeforeEach
  void serve() {
    channel = connect();
  }

  @AfterEach
  void stop() {
    servers.forEach(OneServer::close);
  }

  private ManagedChannel connect() {
    OneServer server = new OneServer(readiness);
    servers.add(server);
    return server.channel;
  }

  private static HealthCheckRequest ask(String name) {
    return HealthCheckRequest.newBuilder().setService(name).build();
  }

  private ServingStatus check(String name) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LONG, TimeUnit.SECONDS)
        .check(ask(name))
        .getStatus();
  }

  private void ready() {
    readiness.warm();
    readiness.upstream(Upstream.UP);
  }

  @Test
  void startsNotServingAndAlive() {
    for (String name : Readiness.READINESS_NAMES) {
      assertEquals(NOT_SERVING, check(name), name);
    }
    assertEquals(SERVING, check(Readiness.LIVENESS));
  }

  @Test
  void namesAreTheAgreedOnes() {
    assertEquals(
        List.of("", "readiness", "inference.InferenceService", "llm.v1.LLMService"),
        Readiness.READINESS_NAMES);
  }

  @Test
  void needsBackendAndWarmCode() {
    readiness.upstream(Upstream.UP);
    assertFalse(readiness.isReady());
    readiness.warm();
    for (String name : Readiness.READINESS_NAMES) {
      assertEquals(SERVING, check(name), name);
    }
    readiness.upstream(Upstream.DOWN);
    for (String name : Readiness.READINESS_NAMES) {
      assertEquals(NOT_SERVING, check(name), name);
    }
    assertEquals(SERVING, check(Readiness.LIVENESS));
  }

  @Test
  void logSaysWhenItBecomesReadyAndWhenNotAnyMoreAndWhy() {
    Logger logger = (Logger) LoggerFactory.getLogger(Readiness.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    try {
      ready();
      readiness.upstream(Upstream.UP);
      readiness.strained(true);
      readiness.strained(false);
      readiness.drain();
    } finally {
      logger.detachAppender(logged);
    }
    assertEquals(
        List.of(
            "Ready: health says SERVING",
            "Not ready, health says NOT_SERVING: short of memory or files",
            "Ready: health says SERVING"),
        logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
  }

  @Test
  void drainIsFinalAndLeavesLiveness() {
    ready();
    readiness.drain();
    readiness.upstream(Upstream.DOWN);
    readiness.upstream(Upstream.UP);
    assertFalse(readiness.isReady());
    assertTrue(readiness.isDraining());
    assertEquals(NOT_SERVING, check(""));
    assertEquals(SERVING, check(Readiness.LIVENESS));
  }

  @Test
  void unknownNameIsNotFound() {
    StatusRuntimeException e = assertThrows(StatusRuntimeException.class, () -> check("nobody"));
    assertEquals(Status.Code.NOT_FOUND, e.getStatus().getCode());
  }

  @Test
  void watchOfUnknownNameStaysOpen() throws InterruptedException {
    Watcher watcher = new Watcher(channel, "nobody");
    assertEquals(SERVICE_UNKNOWN, watcher.next());
    assertNull(watcher.ended.poll());
  }

  @Test
  void watchGetsEachChangeOnce() throws InterruptedException {
    Watcher watcher = new Watcher(channel, "");
    assertEquals(NOT_SERVING, watcher.next());
    readiness.upstream(Upstream.DOWN);
    readiness.warm();
    readiness.upstream(Upstream.UP);
    readiness.upstream(Upstream.UP);
    assertEquals(SERVING, watcher.next());
    readiness.upstream(Upstream.DOWN);
    readiness.drain();
    assertEquals(NOT_SERVING, watcher.next());
    readiness.completeWatches();
    assertEquals(Status.Code.OK, watcher.end().getCode());
    assertTrue(watcher.seen.isEmpty(), () -> watcher.seen.toString());
  }

  @Test
  void watchesEndWithOkAtTheDrainOnEveryPort() throws Exception {
    ManagedChannel second = connect();
    List<Watcher> watchers =
        List.of(
            new Watcher(channel, ""),
            new Watcher(channel, Readiness.LIVENESS),
            new Watcher(channel, "nobody"),
            new Watcher(second, "readiness"));
    for (Watcher watcher : watchers) {
      watcher.next();
    }
    readiness.completeWatches();
    for (Watcher watcher : watchers) {
      assertEquals(Status.Code.OK, watcher.end().getCode());
    }
    assertEquals(0, readiness.openWatches());
  }

  @Test
  void watchOpenedAfterTheDrainGetsOneMessageAndEnds() throws InterruptedException {
    readiness.completeWatches();
    Watcher watcher = new Watcher(channel, "");
    assertEquals(NOT_SERVING, watcher.next());
    assertEquals(Status.Code.OK, watcher.end().getCode());
    assertEquals(0, readiness.openWatches());
  }

  @Test
  void cancelledWatchIsForgotten() throws InterruptedException {
    Watcher watcher = new Watcher(channel, "");
    watcher.next();
    watcher.call.cancel("enough", null);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG);
    while (readiness.openWatches() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertEquals(0, readiness.openWatches());
    ready();
    readiness.completeWatches();
  }

  @Test
  void drainRacingOpeningAndCancellingWatchesEndsThemAll() throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      Readiness raced = new Readiness();
      try (OneServer server = new OneServer(raced)) {
        List<Watcher> watchers = new ArrayList<>();
        int before = ThreadLocalRandom.current().nextInt(8);
        for (int i = 0; i < 8; i++) {
          if (i == before) {
            new Thread(raced::completeWatches).start();
          }
          Watcher watcher = new Watcher(server.channel, "");
          watchers.add(watcher);
          if (i % 3 == 0) {
            watcher.call.cancel("race", null);
          }
        }
        for (Watcher watcher : watchers) {
          Status.Code code = watcher.end().getCode();
          assertTrue(code == Status.Code.OK || code == Status.Code.CANCELLED, code.toString());
        }
      }
    }
  }

  @Test
  void listIsNotInTheLibrarysContract() {
    assertNull(
        HealthGrpc.getServiceDescriptor().getMethods().stream()
            .filter(m -> m.getFullMethodName().endsWith("/List"))
            .findAny()
            .orElse(null));
  }

  /** One port and one channel to it. */
  private static final class OneServer implements AutoCloseable {
    private final Server server;
    private final ManagedChannel channel;

    OneServer(Readiness readiness) {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      try {
        server =
            NettyServerBuilder.forAddress(new InetSocketAddress(loopback, 0))
                .directExecutor()
                .addService(readiness.service())
                .build()
                .start();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      channel =
          NettyChannelBuilder.forAddress(new InetSocketAddress(loopback, server.getPort()))
              .usePlaintext()
              .build();
    }

    @Override
    public void close() {
      channel.shutdownNow();
      server.shutdownNow();
      try {
        assertTrue(channel.awaitTermination(LONG, TimeUnit.SECONDS));
        assertTrue(server.awaitTermination(LONG, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final class Watcher
      implements ClientResponseObserver<HealthCheckRequest, HealthCheckResponse> {
    final BlockingQueue<ServingStatus> seen = new LinkedBlockingQueue<>();
    final BlockingQueue<Status> ended = new LinkedBlockingQueue<>();
    ClientCallStreamObserver<HealthCheckRequest> call;

    Watcher(ManagedChannel channel, String name) {
      ClientCalls.asyncServerStreamingCall(
          channel.newCall(HealthGrpc.getWatchMethod(), CallOptions.DEFAULT), ask(name), this);
    }

    ServingStatus next() throws InterruptedException {
      return seen.poll(LONG, TimeUnit.SECONDS);
    }

    Status end() throws InterruptedException {
      return ended.poll(LONG, TimeUnit.SECONDS);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<HealthCheckRequest> requestStream) {
      call = requestStream;
    }

    @Override
    public void onNext(HealthCheckResponse value) {
      seen.add(value.getStatus());
    }

    @Override
    public void onError(Throwable t) {
      ended.add(Status.fromThrowable(t));
    }

    @Override
    public void onCompleted() {
      ended.add(Status.OK);
    }
  }
}
