package inferencegateway.api;

import com.google.protobuf.MessageLite;
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
      return new Incoming<>(messages.parse(stream));
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.INTERNAL) {
        return new Incoming<>(null);
      }
      throw e; // The library's own limits, met while decompressing.
    }
  }

  @Override
  public InputStream stream(Incoming<Q> value) {
    throw new UnsupportedOperationException("requests are only read here");
  }
}
