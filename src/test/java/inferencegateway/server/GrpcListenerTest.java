package inferencegateway.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.HostPort;
import inferencegateway.health.Readiness;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcListenerTest {

  private static final byte[] HELLO = {1, 2, 3};

  private final Port port = new Port();

  @AfterEach
  void close() {
    port.close();
  }

  static byte[] echo(Channel channel, byte[] message) {
    return ClientCalls.blockingUnaryCall(
        channel,
        ByteCalls.ECHO,
        CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS),
        message);
  }

  private static Status failure(Channel channel, CallOptions options, byte[] message) {
    CallOptions bounded = options.withDeadlineAfter(10, TimeUnit.SECONDS);
    return assertThrows(
            StatusRuntimeException.class,
            () -> ClientCalls.blockingUnaryCall(channel, ByteCalls.ECHO, bounded, message))
        .getStatus();
  }

  @Test
  void servesCalls() throws IOException {
    port.start();
    assertArrayEquals(HELLO, echo(port.channel(), HELLO));
    assertEquals(1, port.listener().connections());
  }

  @Test
  void firstInterceptorIsOutermostAndCallsRunOnTheConnectionsLoop() throws IOException {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    port.interceptors.add(noting("outer", order));
    port.interceptors.add(noting("inner", order));
    port.start();
    echo(port.channel(), HELLO);
    assertEquals(List.of("outer on loop", "inner on loop"), order);
  }

  private ServerInterceptor noting(String name, List<String> order) {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        boolean onLoop = false;
        for (var loop : port.group) {
          onLoop |= loop.inEventLoop();
        }
        order.add(name + (onLoop ? " on loop" : " elsewhere"));
        return next.startCall(call, headers);
      }
    };
  }

  @Test
  void usedPortFailsWithKeyAndAddress() throws IOException {
    int used = port.start().port();
    HostPort same = new HostPort("127.0.0.1", used);
    IOException e = assertThrows(IOException.class, () -> port.make(same).start());
    assertEquals(
        "listen: cannot listen on 127.0.0.1:"
            + used
            + ": address already in use; stop what listens there or choose"
            + " another port",
        e.getMessage());
  }

  @Test
  void unknownHostFailsWithKeyAndAddress() {
    GrpcListener listener = port.make(new HostPort("no-such-host.invalid", 5));
    IOException e = assertThrows(IOException.class, listener::start);
    assertEquals(
        "listen: cannot listen on no-such-host.invalid:5: the name cannot be resolved",
        e.getMessage());
  }

  @Test
  void everyAddressFallsBackToIpv4() throws IOException {
    ListenAddress address = new ListenAddress("listen", new HostPort("::", 50051));
    InetSocketAddress bound =
        address.bind(
            at -> {
              if (at.getAddress() instanceof java.net.Inet6Address) {
                throw new IOException("Address family not supported by protocol");
              }
              return at;
            });
    assertEquals(new InetSocketAddress("0.0.0.0", 50051), bound);
  }

  @Test
  void everyAddressDoesNotFallBackFromAUsedPort() {
    ListenAddress address = new ListenAddress("listen", new HostPort("::", 50051));
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                address.bind(
                    at -> {
                      throw new IOException("Failed", new IOException("Address already in use"));
                    }));
    assertEquals(
        "listen: cannot listen on [::]:50051: address already in use; stop what listens there or choose"
            + " another port",
        e.getMessage());
  }

  @Test
  void messageAtTheLimitPassesAndOneByteMoreFailsTheCallOnly() throws IOException {
    port.start();
    ManagedChannel channel = port.channel();
    ManagedChannel large =
        port.keep(
            port.channelBuilder().usePlaintext().maxInboundMessageSize(4 * 1024 * 1024).build());
    assertEquals(port.maxRequestBytes, echo(large, new byte[port.maxRequestBytes]).length);
    Status status = failure(channel, CallOptions.DEFAULT, new byte[port.maxRequestBytes + 1]);
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, status.getCode());
    assertArrayEquals(HELLO, echo(channel, HELLO));
    assertEquals(2, port.calls.callers.size());
  }

  @Test
  void compressedRequestAboveTheLimitFails() throws IOException {
    port.start();
    ManagedChannel channel = port.channel();
    CallOptions gzip = CallOptions.DEFAULT.withCompression("gzip");
    // The library says it by an exception out of the request's bytes; which code the caller gets is
    // decided by the marshaller that reads them.
    Status status = failure(channel, gzip, new byte[port.maxRequestBytes * 8]);
    assertEquals(Status.Code.UNKNOWN, status.getCode());
    assertArrayEquals(
        HELLO,
        ClientCalls.blockingUnaryCall(
            channel, ByteCalls.ECHO, gzip.withDeadlineAfter(10, TimeUnit.SECONDS), HELLO));
  }

  @Test
  void metadataUnderTheSoftLimitPassesAndAboveTheHardLimitFailsTheCallOnly() throws IOException {
    port.start();
    ManagedChannel channel = port.channel();
    assertArrayEquals(HELLO, echo(withHeader(channel, "x-long", "a".repeat(9 * 1024)), HELLO));
    Channel tooLong = withHeader(channel, "x-long", "a".repeat(70 * 1024));
    failure(tooLong, CallOptions.DEFAULT, HELLO);
    assertArrayEquals(HELLO, echo(channel, HELLO));
    assertEquals(1, port.calls.callers.size());
  }

  static Channel withHeader(Channel channel, String name, String value) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  @Test
  void connectionsAboveTheCapAreClosedOnAcceptAndRoomIsReused() throws Exception {
    port.maxConnections = 2;
    port.start();
    ManagedChannel channel = port.channel();
    echo(channel, HELLO);
    Socket second = port.connect();
    await(() -> port.listener().connections() == 2);
    try (Socket third = port.connect()) {
      assertTrue(endsWithoutAnyByte(third));
    }
    assertEquals(1, port.listener().rejectedConnections());
    assertArrayEquals(HELLO, echo(channel, HELLO));
    second.close();
    await(() -> port.listener().connections() == 1);
    assertArrayEquals(HELLO, echo(port.channel(), HELLO));
    assertEquals(2, port.listener().connections());
  }

  private static boolean endsWithoutAnyByte(Socket socket) {
    try {
      return socket.getInputStream().read() == -1;
    } catch (IOException reset) {
      return !(reset instanceof java.net.SocketTimeoutException);
    }
  }

  static void await(java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "not within 10 s");
      Thread.onSpinWait();
    }
  }

  @Test
  void maxAgeMovesCallersToANewConnectionAndLeavesTheRunningStreamAlone() throws Exception {
    port.maxAge = java.time.Duration.ofSeconds(1);
    port.start();
    ManagedChannel channel = port.channel();
    Iterator<byte[]> answer =
        ClientCalls.blockingServerStreamingCall(
            channel,
            ByteCalls.HOLD,
            CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
            HELLO);
    StreamObserver<byte[]> held = port.calls.nextHeld();
    assertArrayEquals(HELLO, answer.next());
    await(
        () -> {
          echo(channel, HELLO);
          return port.calls.callers.size() >= 2;
        });
    held.onNext(HELLO);
    held.onCompleted();
    assertArrayEquals(HELLO, answer.next());
    assertTrue(!answer.hasNext());
  }

  @Test
  void reflectionListsServicesInBothVersionsAndCanBeTurnedOff() throws Exception {
    port.more.add(new Readiness().service());
    port.start();
    assertTrue(reflectedServices(port.channel()).contains("grpc.health.v1.Health"));
    assertTrue(
        reflectedServices(port.channel()).contains("grpc.reflection.v1alpha.ServerReflection"));
    assertTrue(listsServicesByV1Alpha(port.channel()));
    try (Port silent = new Port()) {
      silent.reflection = false;
      silent.start();
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> reflectedServices(silent.channel()));
      assertEquals(Status.Code.UNIMPLEMENTED, Status.fromThrowable(e).getCode());
    }
  }

  /** Both versions have the same bytes; only the method's name differs. */
  private static boolean listsServicesByV1Alpha(Channel channel) {
    MethodDescriptor<ServerReflectionRequest, ServerReflectionResponse> v1Alpha =
        ServerReflectionGrpc.getServerReflectionInfoMethod().toBuilder()
            .setFullMethodName("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .build();
    Iterator<ServerReflectionResponse> answer =
        ClientCalls.blockingServerStreamingCall(
            channel,
            v1Alpha,
            CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS),
            ServerReflectionRequest.newBuilder().setListServices("").build());
    return answer.next().getListServicesResponse().getServiceCount() == 3;
  }

  private static String reflectedServices(Channel channel)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<String> listed = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> ask =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse value) {
                    listed.complete(value.toString());
                  }

                  @Override
                  public void onError(Throwable t) {
                    listed.completeExceptionally(t);
                  }

                  @Override
                  public void onCompleted() {}
                });
    ask.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    try {
      return listed.get(10, TimeUnit.SECONDS);
    } finally {
      ask.onCompleted();
    }
  }
}
