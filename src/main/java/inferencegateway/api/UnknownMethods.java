package inferencegateway.api;

import inferencegateway.call.Statuses;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Answers calls of methods that do not exist here with UNIMPLEMENTED and our details. Keeps nothing
 * of them.
 */
public final class UnknownMethods extends HandlerRegistry {

  private static final Failure UNKNOWN =
      Failure.of(
          Reason.UNKNOWN_METHOD,
          "no such method here; this gateway serves inference.InferenceService and llm.v1.LLMService");

  @Override
  public ServerMethodDefinition<?, ?> lookupMethod(String methodName, @Nullable String authority) {
    MethodDescriptor<InputStream, InputStream> descriptor =
        MethodDescriptor.<InputStream, InputStream>newBuilder()
            .setType(MethodDescriptor.MethodType.UNKNOWN)
            .setFullMethodName(methodName)
            .setRequestMarshaller(Untouched.BYTES)
            .setResponseMarshaller(Untouched.BYTES)
            .build();
    return ServerMethodDefinition.create(descriptor, UnknownMethods::refuse);
  }

  private static ServerCall.Listener<InputStream> refuse(
      ServerCall<InputStream, InputStream> call, Metadata headers) {
    Statuses.Answer answer = Statuses.of(UNKNOWN, RequestIds.of(headers), Phase.ADMISSION, 0);
    call.close(answer.status(), answer.trailers());
    return new ServerCall.Listener<>() {};
  }

  /** The message is never asked for. */
  private enum Untouched implements MethodDescriptor.Marshaller<InputStream> {
    BYTES;

    @Override
    public InputStream stream(InputStream value) {
      return value;
    }

    @Override
    public InputStream parse(InputStream stream) {
      return stream;
    }
  }
}
