package inferencegateway.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.HostPort;
import inferencegateway.health.Readiness;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HealthListenerTest {

  private final Readiness readiness = new Readiness();
  private final Port main = new Port();
  private final HealthListener health =
      new HealthListener(new HostPort("127.0.0.1", 0), readiness.service());
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    main.more.add(readiness.service());
    main.start();
    health.start();
    channel =
        main.keep(
            NettyChannelBuilder.forAddress("127.0.0.1", health.port()).usePlaintext().build());
  }

  @AfterEach
  void close() {
    main.close();
    health.close();
  }

  private static ServingStatus check(ManagedChannel channel, String name) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .check(HealthCheckRequest.newBuilder().setService(name).build())
        .getStatus();
  }

  @Test
  void bothPortsTellTheSameState() {
    assertEquals(ServingStatus.NOT_SERVING, check(channel, ""));
    readiness.warm();
    readiness.upstream(Readiness.Upstream.UP);
    assertEquals(ServingStatus.SERVING, check(channel, ""));
    assertEquals(ServingStatus.SERVING, check(main.channel(), ""));
  }

  @Test
  void answersWhileEveryOtherLoopIsBusy() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(2);
    for (var loop : main.group) {
      loop.execute(
          () -> {
            busy.countDown();
            awaitQuietly(release);
          });
    }
    try {
      assertTrue(busy.await(10, TimeUnit.SECONDS));
      assertEquals(ServingStatus.SERVING, check(channel, Readiness.LIVENESS));
    } finally {
      release.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void servesNothingElse() {
    StatusRuntimeException e =
        assertThrows(
            StatusRuntimeException.class, () -> GrpcListenerTest.echo(channel, new byte[1]));
    assertEquals(Status.Code.UNIMPLEMENTED, e.getStatus().getCode());
  }

  @Test
  void usedPortIsToldWithItsKey() {
    HealthListener second =
        new HealthListener(new HostPort("127.0.0.1", health.port()), readiness.service());
    IOException e = assertThrows(IOException.class, second::start);
    assertTrue(e.getMessage().startsWith("health-listen: cannot listen on 127.0.0.1:"));
    second.close();
  }

  @Test
  void closeFreesThePortAndMayBeCalledTwice() {
    int port = health.port();
    health.close();
    health.close();
    assertThrows(ConnectException.class, () -> new Socket("127.0.0.1", port).close());
  }
}
