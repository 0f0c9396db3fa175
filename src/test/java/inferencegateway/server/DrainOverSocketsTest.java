package inferencegateway.server;

import static inferencegateway.server.GrpcListenerTest.await;
import static inferencegateway.server.GrpcListenerTest.echo;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.DrainConfig;
import inferencegateway.health.Readiness;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainOverSocketsTest {

  private static final byte[] HELLO = {1, 2, 3};
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Port port = new Port();
  private final Readiness readiness = new Readiness();
  private Thread stopping;
  private Drain drain;

  @BeforeEach
  void start() throws IOException {
    port.interceptors.add(new AnswerMarks(List.of(new DrainHeader(readiness::isDraining))));
    port.more.add(readiness.service());
    port.start();
    readiness.warm();
    readiness.upstream(Readiness.Upstream.UP);
  }

  @AfterEach
  void close() throws InterruptedException {
    drain.stopNow();
    stopping.join(10_000);
    assertFalse(stopping.isAlive());
    port.close();
  }

  private void stop(Duration pause, Duration grace) {
    drain =
        new Drain(
            new DrainConfig(pause, grace),
            port.listener(),
            new Drain.Steps(readiness::drain, readiness::completeWatches, this::endRunningCalls));
    stopping = new Thread(drain::run);
    stopping.start();
  }

  private void endRunningCalls() {
    port.calls.held.forEach(
        call ->
            call.onError(Status.UNAVAILABLE.withDescription("shutting down").asRuntimeException()));
  }

  private static CallOptions bounded() {
    return CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private Iterator<byte[]> hold(Channel channel) {
    Iterator<byte[]> answer =
        ClientCalls.blockingServerStreamingCall(channel, ByteCalls.HOLD, bounded(), HELLO);
    answer.next();
    return answer;
  }

  private Iterator<HealthCheckResponse> watch(Channel channel) {
    return ClientCalls.blockingServerStreamingCall(
        channel, HealthGrpc.getWatchMethod(), bounded(), HealthCheckRequest.getDefaultInstance());
  }

  @Test
  void pauseServesOldAndNewConnectionsAndTellsEnvoy() {
    ManagedChannel before = port.channel();
    AtomicReference<Metadata> headers = new AtomicReference<>();
    AtomicReference<Metadata> trailers = new AtomicReference<>();
    Channel noting =
        ClientInterceptors.intercept(
            before, MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
    echo(noting, HELLO);
    assertNull(headers.get().get(DrainHeader.FAIL_HEALTH_CHECK));
    stop(LONG, LONG);
    await(readiness::isDraining);
    echo(noting, HELLO);
    assertEquals("true", headers.get().get(DrainHeader.FAIL_HEALTH_CHECK));
    assertArrayEquals(HELLO, echo(port.channel(), HELLO));
    assertEquals(
        ServingStatus.NOT_SERVING,
        HealthGrpc.newBlockingStub(before)
            .check(HealthCheckRequest.getDefaultInstance())
            .getStatus());
  }

  @Test
  void failedCallsTellEnvoyInTheirOnlyHeaders() {
    AtomicReference<Metadata> trailers = new AtomicReference<>();
    Channel noting =
        ClientInterceptors.intercept(
            port.channel(),
            MetadataUtils.newCaptureMetadataInterceptor(new AtomicReference<>(), trailers));
    stop(LONG, LONG);
    await(readiness::isDraining);
    assertThrows(
        StatusRuntimeException.class,
        () ->
            HealthGrpc.newBlockingStub(noting)
                .check(HealthCheckRequest.newBuilder().setService("nobody").build()));
    assertEquals("true", trailers.get().get(DrainHeader.FAIL_HEALTH_CHECK));
  }

  @Test
  void runningStreamFinishesWithinTheGraceAndThePortIsClosed() throws Exception {
    Iterator<byte[]> answer = hold(port.channel());
    var held = port.calls.nextHeld();
    stop(Duration.ZERO, LONG);
    await(this::portIsClosed);
    held.onNext(HELLO);
    held.onCompleted();
    assertArrayEquals(HELLO, answer.next());
    assertFalse(answer.hasNext());
    stopping.join(10_000);
    assertFalse(stopping.isAlive());
  }

  private boolean portIsClosed() {
    try {
      port.connect().close();
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException | IllegalStateException e) {
      // Accepted just before the end, or the server has ended and knows no port any more.
      return e instanceof IllegalStateException;
    }
  }

  @Test
  void streamLongerThanTheGraceIsEndedWithItsStatus() {
    Iterator<byte[]> answer = hold(port.channel());
    stop(Duration.ZERO, Duration.ofMillis(200));
    StatusRuntimeException e = assertThrows(StatusRuntimeException.class, answer::next);
    assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
    assertEquals("shutting down", e.getStatus().getDescription());
  }

  @Test
  void healthWatchSeesNotServingThenEndsAndHoldsNothingUp() throws InterruptedException {
    Iterator<HealthCheckResponse> watch = watch(port.channel());
    assertEquals(ServingStatus.SERVING, watch.next().getStatus());
    stop(Duration.ofMillis(100), LONG);
    assertEquals(ServingStatus.NOT_SERVING, watch.next().getStatus());
    assertFalse(watch.hasNext());
    stopping.join(10_000);
    assertFalse(stopping.isAlive());
  }

  @Test
  void secondRequestEndsItWithinASecondWithAStatus() throws InterruptedException {
    Iterator<byte[]> answer = hold(port.channel());
    stop(LONG, LONG);
    await(readiness::isDraining);
    long asked = System.nanoTime();
    drain.stopNow();
    stopping.join(10_000);
    assertTrue(System.nanoTime() - asked < TimeUnit.SECONDS.toNanos(1));
    StatusRuntimeException e = assertThrows(StatusRuntimeException.class, answer::next);
    assertEquals("shutting down", e.getStatus().getDescription());
  }

  @Test
  void callersMakingCallsSeeNoErrorWhenASecondServerStandsBy() throws IOException {
    try (Port other = new Port()) {
      other.start();
      ManagedChannel both =
          port.keep(TwoServers.channel(port.listener().port(), other.listener().port()));
      echo(both, HELLO);
      stop(Duration.ofMillis(50), LONG);
      await(
          () -> {
            assertArrayEquals(HELLO, echo(both, HELLO));
            return !stopping.isAlive();
          });
      assertArrayEquals(HELLO, echo(both, HELLO));
      assertTrue(!other.calls.callers.isEmpty());
    }
  }
}
