package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.SeedCallers;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who is turned away, how quickly, and that the backend hears nothing of it. */
class AdmissionTest {

  private static final Duration LONG = Duration.ofSeconds(10);

  private static RecordingObserver<GenerateRequest, TokenResponse> stream(
      ManagedChannel channel, String prompt) {
    RecordingObserver<GenerateRequest, TokenResponse> stream = RecordingObserver.eager();
    InferenceServiceGrpc.newStub(channel)
        .generateStream(SeedCallers.generateRequest(prompt), stream);
    return stream;
  }

  @Test
  void aDeadlineThatCannotBeMetIsRefusedAtOnce() {
    try (Rig rig =
        Rig.start(sim -> sim.withPace(Duration.ofMillis(1_000), Duration.ofMillis(1)), Map.of())) {
      ManagedChannel channel = rig.callers().channel();
      List<RecordingObserver<GenerateRequest, TokenResponse>> history = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        history.add(stream(channel, "Hi"));
      }
      history.forEach(call -> assertTrue(call.awaitEnd(LONG).isOk()));
      long from = System.nanoTime();
      StatusRuntimeException refused =
          assertThrows(
              StatusRuntimeException.class,
              () ->
                  InferenceServiceGrpc.newBlockingStub(channel)
                      .withDeadlineAfter(500, TimeUnit.MILLISECONDS)
                      .generate(SeedCallers.generateRequest("Hi")));
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
      assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
      assertTrue(took < 400, "refused after ms: " + took);
      ErrorDetails details = ErrorDetails.of(refused);
      assertEquals("DEADLINE_UNREACHABLE", details.reason());
      String estimate = details.errorInfo().orElseThrow().getMetadataOrThrow("est_wait_ms");
      assertTrue(Integer.parseInt(estimate) > 500, estimate);
      assertTrue(details.retryInfo().isPresent());
      assertFalse(String.valueOf(details.pushback()).startsWith("-"));
      assertEquals(30, rig.simulator().chats().size());
    }
  }

  @Test
  void retriesAreShedFirst() {
    try (Rig rig = Rig.start(Map.of("admission.running", "1", "admission.waiting", "2"))) {
      ManagedChannel channel = rig.callers().channel();
      var running = stream(channel, "[[sim:stall-after=1]] Hi");
      running.awaitMessages(1, LONG);
      var waiting = stream(channel, "Hi");
      Metadata attempts = new Metadata();
      attempts.put(
          Metadata.Key.of("grpc-previous-rpc-attempts", Metadata.ASCII_STRING_MARSHALLER), "1");
      // Bounded: the waiting call is there soon, and until then a retry would wait too.
      Eventually.within(LONG)
          .passes(
              () -> {
                StatusRuntimeException shed =
                    assertThrows(
                        StatusRuntimeException.class,
                        () ->
                            InferenceServiceGrpc.newBlockingStub(channel)
                                .withInterceptors(
                                    MetadataUtils.newAttachHeadersInterceptor(attempts))
                                .withDeadlineAfter(100, TimeUnit.MILLISECONDS)
                                .generate(SeedCallers.generateRequest("Hi")));
                assertEquals("CONCURRENCY_LIMIT", ErrorDetails.of(shed).reason());
              });
      var first = stream(channel, "Hi");
      running.cancel();
      assertTrue(waiting.awaitEnd(LONG).isOk());
      assertTrue(first.awaitEnd(LONG).isOk());
      rig.awaitQuiet();
    }
  }

  @Test
  void theBackendsOwnQueueIsKeptShort() {
    try (Rig rig =
        Rig.start(
            sim ->
                sim.withPace(Duration.ofMillis(20), Duration.ofMillis(20))
                    .withAnswerTokens(40)
                    .withSlots(2, 1_000),
            Map.of("admission.running", "30"))) {
      ManagedChannel channel = rig.callers().channel();
      List<RecordingObserver<GenerateRequest, TokenResponse>> calls = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        calls.add(stream(channel, "Hi"));
      }
      // Those that were sent before the first look at its queue still wait there.
      Eventually.within(LONG)
          .assertThat("the queue was seen", () -> rig.gateway().admissionLimit() <= 3);
      calls.forEach(RecordingObserver::cancel);
      rig.awaitQuiet();
      for (int i = 0; i < 12; i++) {
        calls.add(stream(channel, "Hi"));
      }
      Eventually.within(LONG)
          .assertThat("both slots are used", () -> rig.simulator().counters().running() == 2);
      assertTrue(rig.simulator().counters().waiting() <= 1);
      calls.forEach(RecordingObserver::cancel);
      rig.awaitQuiet();
    }
  }
}
