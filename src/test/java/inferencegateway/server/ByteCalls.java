package inferencegateway.server;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A service of bytes: an echo, and streams that the test goes on with and ends. */
final class ByteCalls {

  static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo", MethodType.UNARY);
  static final MethodDescriptor<byte[], byte[]> HOLD = method("Hold", MethodType.SERVER_STREAMING);

  /** Open answers of HOLD, each with its first message out. */
  final BlockingQueue<ServerCallStreamObserver<byte[]>> held = new LinkedBlockingQueue<>();

  /** Connections that calls came over. */
  final Set<SocketAddress> callers = ConcurrentHashMap.newKeySet();

  ServerServiceDefinition service() {
    return ServerInterceptors.intercept(
        ServerServiceDefinition.builder("test.Bytes")
            .addMethod(ECHO, ServerCalls.asyncUnaryCall(ByteCalls::echo))
            .addMethod(HOLD, ServerCalls.asyncServerStreamingCall(this::hold))
            .build(),
        new CallerNotes());
  }

  StreamObserver<byte[]> nextHeld() throws InterruptedException {
    return held.poll(10, TimeUnit.SECONDS);
  }

  private static void echo(byte[] request, StreamObserver<byte[]> answer) {
    answer.onNext(request);
    answer.onCompleted();
  }

  private void hold(byte[] request, StreamObserver<byte[]> answer) {
    ServerCallStreamObserver<byte[]> call = (ServerCallStreamObserver<byte[]>) answer;
    call.setOnCancelHandler(() -> held.remove(call));
    call.onNext(request);
    held.add(call);
  }

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setFullMethodName("test.Bytes/" + name)
        .setType(type)
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
  }

  private final class CallerNotes implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      callers.add(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
      return next.startCall(call, headers);
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
