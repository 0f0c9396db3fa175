package inferencegateway.api;

import inferencegateway.call.Statuses;
import inferencegateway.proto.inference.HealthRequest;
import inferencegateway.proto.inference.HealthResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The small contract's Health: the same state as {@code grpc.health.v1}, in the seed's words. */
final class HealthAnswer implements ServerCallHandler<Incoming<HealthRequest>, HealthResponse> {

  private final BooleanSupplier ready;
  private final Supplier<String> model;

  HealthAnswer(BooleanSupplier ready, Supplier<String> model) {
    this.ready = ready;
    this.model = model;
  }

  @Override
  public ServerCall.Listener<Incoming<HealthRequest>> startCall(
      ServerCall<Incoming<HealthRequest>, HealthResponse> call, Metadata headers) {
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onHalfClose() {
        call.sendHeaders(new Metadata());
        call.sendMessage(answer());
        call.close(Status.OK, Statuses.okTrailers(RequestIds.of(headers)));
      }
    };
  }

  private HealthResponse answer() {
    return HealthResponse.newBuilder()
        .setStatus(ready.getAsBoolean() ? "healthy" : "unhealthy")
        .setModel(model.get())
        .build();
  }
}
