package inferencegateway.api;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.MessageLite;
import inferencegateway.call.Calls;
import inferencegateway.http.CallLoop;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.GenerateResponse;
import inferencegateway.proto.inference.InferenceProto;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.inference.TokenResponse;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.LlmProto;
import inferencegateway.proto.llm.v1.TokenChunk;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The two services, method by method. */
public final class Services {

  private static final int GENERATE_TOKENS = 256;
  private static final int GENERATE_STREAM_TOKENS = 1_024;

  private final Calls calls;
  private final Supplier<CallLoop> currentLoop;

  /**
   * Makes nothing yet.
   *
   * @param currentLoop the loop of the calling thread; asked once a call, on its loop
   */
  public Services(Calls calls, Supplier<CallLoop> currentLoop) {
    this.calls = calls;
    this.currentLoop = currentLoop;
  }

  /**
   * {@code inference.InferenceService}.
   *
   * @param ready whether the gateway would answer now
   * @param model the default model's name, or empty
   */
  public ServerServiceDefinition inference(BooleanSupplier ready, Supplier<String> model) {
    return define(
        InferenceServiceGrpc.SERVICE_NAME,
        InferenceProto.getDescriptor(),
        List.of(
            chat(InferenceServiceGrpc.getGenerateMethod(), generate()),
            chat(InferenceServiceGrpc.getGenerateStreamMethod(), generateStream()),
            method(InferenceServiceGrpc.getHealthMethod(), new HealthAnswer(ready, model))));
  }

  /** {@code llm.v1.LLMService}. */
  public ServerServiceDefinition llm() {
    return define(
        LLMServiceGrpc.SERVICE_NAME,
        LlmProto.getDescriptor(),
        List.of(
            chat(LLMServiceGrpc.getCompleteMethod(), complete()),
            chat(LLMServiceGrpc.getCompleteStreamMethod(), completeStream())));
  }

  private static ChatMethod<GenerateRequest, GenerateResponse> generate() {
    return new ChatMethod<>(
        false,
        (asked, violations) -> InferenceRequests.read(asked, GENERATE_TOKENS, violations),
        (call, id, context) -> new WholeEnd<>(call, id, context, InferenceWording::whole));
  }

  private static ChatMethod<GenerateRequest, TokenResponse> generateStream() {
    InferenceWording wording = new InferenceWording();
    return new ChatMethod<>(
        true,
        (asked, violations) -> InferenceRequests.read(asked, GENERATE_STREAM_TOKENS, violations),
        (call, id, context) -> new StreamEnd<>(call, id, context, wording));
  }

  private static ChatMethod<CompleteRequest, CompleteResponse> complete() {
    return new ChatMethod<>(
        false,
        LlmRequests::read,
        (call, id, context) -> new WholeEnd<>(call, id, context, LlmWording::whole));
  }

  private static ChatMethod<CompleteRequest, TokenChunk> completeStream() {
    LlmWording wording = new LlmWording();
    return new ChatMethod<>(
        true,
        LlmRequests::read,
        (call, id, context) -> new StreamEnd<>(call, id, context, wording));
  }

  private <Q extends MessageLite, A> ServerMethodDefinition<Incoming<Q>, A> chat(
      MethodDescriptor<Q, A> descriptor, ChatMethod<Q, A> chat) {
    return method(descriptor, new ChatHandler<>(chat, calls, currentLoop));
  }

  private static <Q extends MessageLite, A> ServerMethodDefinition<Incoming<Q>, A> method(
      MethodDescriptor<Q, A> descriptor, ServerCallHandler<Incoming<Q>, A> handler) {
    return ServerMethodDefinition.create(
        descriptor.toBuilder(
                new IncomingMarshaller<>(descriptor.getRequestMarshaller()),
                descriptor.getResponseMarshaller())
            .setType(takingAnyNumber(descriptor.getType()))
            .build(),
        handler);
  }

  /**
   * The library itself resets the stream of a caller that sends two requests where one is expected;
   * so that such a caller gets our answer, it is told to expect any number.
   */
  private static MethodDescriptor.MethodType takingAnyNumber(MethodDescriptor.MethodType type) {
    return type.serverSendsOneMessage()
        ? MethodDescriptor.MethodType.CLIENT_STREAMING
        : MethodDescriptor.MethodType.BIDI_STREAMING;
  }

  private static ServerServiceDefinition define(
      String name, FileDescriptor contract, List<ServerMethodDefinition<?, ?>> methods) {
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(name).setSchemaDescriptor(new ReflectedContract(contract));
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(service::addMethod);
    return service.build();
  }
}
