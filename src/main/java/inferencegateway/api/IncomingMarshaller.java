package inferencegateway.api;

import com.google.protobuf.MessageLite;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;

/** Reads requests and never throws on malformed ones. */
final class IncomingMarshaller<Q extends MessageLite>
    implements MethodDescriptor.Marshaller<Incoming<Q>> {

  private final MethodDescriptor.Marshaller<Q> messages;

  IncomingMarshaller(MethodDescriptor.Marshaller<Q> messages) {
    this.messages = messages;
  }

  @Override
  public Incoming<Q> parse(InputStream stream) {
    try {
      return new Incoming<>(messages.parse(stream), null);
    } catch (StatusRuntimeException e) {
      return new Incoming<>(null, fault(e.getStatus()));
    }
  }

  /** Decompressing meets the size limit while the message is being read. */
  private static Failure fault(Status status) {
    return status.getCode() == Status.Code.RESOURCE_EXHAUSTED
        ? Failure.of(
            Reason.REQUEST_TOO_LARGE,
            "the request, decompressed, is larger than limits.max-request-bytes allows")
        : Failure.of(
            Reason.MALFORMED_REQUEST,
            "error parsing request proto: the bytes are not this method's request message");
  }

  @Override
  public InputStream stream(Incoming<Q> value) {
    throw new UnsupportedOperationException("requests are only read here");
  }
}
