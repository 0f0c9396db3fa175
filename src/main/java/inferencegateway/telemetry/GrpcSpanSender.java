package inferencegateway.telemetry;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One method of a collector. Thread: the exporter's; answers come on the channel's. */
final class GrpcSpanSender implements GrpcSender {

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] bytes) {
          return new ByteArrayInputStream(bytes);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private final ManagedChannel channel;
  private final MethodDescriptor<byte[], byte[]> method;
  private final CallOptions options;
  private final Duration timeout;
  private final Supplier<Map<String, List<String>>> headers;

  GrpcSpanSender(
      ManagedChannel channel,
      String method,
      CallOptions options,
      Duration timeout,
      Supplier<Map<String, List<String>>> headers) {
    this.channel = channel;
    this.method =
        MethodDescriptor.newBuilder(BYTES, BYTES)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(method)
            .build();
    this.options = options;
    this.timeout = timeout;
    this.headers = headers;
  }

  @Override
  public void send(
      MessageWriter message, Consumer<GrpcResponse> answered, Consumer<Throwable> failed) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(message.getContentLength());
      message.writeMessage(bytes);
      ClientCall<byte[], byte[]> call =
          channel.newCall(
              method, options.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS));
      call.start(new Answer(answered), metadata());
      call.request(1);
      call.sendMessage(bytes.toByteArray());
      call.halfClose();
    } catch (IOException | RuntimeException e) {
      failed.accept(e);
    }
  }

  /** Asked once a batch: keys may change. */
  private Metadata metadata() {
    Metadata metadata = new Metadata();
    Map<String, List<String>> said = headers.get();
    if (said != null) {
      said.forEach((name, values) -> values.forEach(value -> metadata.put(key(name), value)));
    }
    return metadata;
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  @Override
  public CompletableResultCode shutdown() {
    channel.shutdown();
    return CompletableResultCode.ofSuccess();
  }

  private static final class Answer extends ClientCall.Listener<byte[]> {
    private final Consumer<GrpcResponse> answered;
    private byte[] message = new byte[0];

    Answer(Consumer<GrpcResponse> answered) {
      this.answered = answered;
    }

    @Override
    public void onMessage(byte[] bytes) {
      message = bytes;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      answered.accept(new Told(status, message));
    }
  }

  private static final class Told implements GrpcResponse {
    private final Status status;
    private final byte[] message;

    Told(Status status, byte[] message) {
      this.status = status;
      this.message = message;
    }

    @Override
    public GrpcStatusCode getStatusCode() {
      return GrpcStatusCode.fromValue(status.getCode().value());
    }

    @Override
    public String getStatusDescription() {
      return status.getDescription() == null ? "" : status.getDescription();
    }

    @Override
    public byte[] getResponseMessage() {
      return message;
    }
  }
}
