package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.SeenSpan;
import io.grpc.Status;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Each attempt at a backend is a span of its own. */
class TracedAttemptsTest {

  private static void with(Supplier<Fleet> start, java.util.function.BiConsumer<Fleet, Traced> is) {
    try (Traced traced = new Traced();
        Fleet fleet = traced.during(start)) {
      is.accept(fleet, traced);
    }
  }

  private static String sent(Fleet fleet, int backend, int chat) {
    return fleet.chats(backend).get(chat).headers().getOrDefault("traceparent", "");
  }

  @Test
  void aBackendThatCannotNowAndTheOneThatCan() {
    with(
        () -> Fleet.inOrder(2, sim -> sim, "", Rescued.SLOW_PROBES),
        (fleet, traced) -> {
          fleet.simulator(0).setFault("status=503-queue");
          fleet.named("passed").stream(Scene.MODEL);
          SeenSpan server = traced.server("passed");
          assertFalse(server.failed());
          assertEquals(List.of("admitted", "admitted", "first_token"), server.events());
          assertEquals("2", server.get("inference_gateway.attempts"));
          List<SeenSpan> attempts = traced.attempts(server);
          assertEquals(2, attempts.size());
          SeenSpan first = attempts.get(0);
          assertEquals("b0", first.get("inference_gateway.backend"));
          assertEquals("UPSTREAM_QUEUE_FULL", first.error());
          SeenSpan second = attempts.get(1);
          assertEquals("b1", second.get("inference_gateway.backend"));
          assertFalse(second.failed());
          assertTrue(sent(fleet, 0, 0).contains(first.spanId()));
          assertTrue(sent(fleet, 1, 0).contains(second.spanId()));
          assertTrue(first.raw().getEndTimeUnixNano() <= second.raw().getEndTimeUnixNano());
        });
  }

  @Test
  void anAnswerThatGoesOnElsewhereShowsWhereItBroke() {
    with(
        Rescued::fleet,
        (fleet, traced) -> {
          fleet.simulator(0).setFault("drop-after=5");
          Rescued rescued = Rescued.of(fleet.named("rescued"), Rescued.ask());
          rescued.end(Status.Code.OK);
          SeenSpan server = traced.server("rescued");
          assertEquals(List.of("admitted", "first_token", "admitted"), server.events());
          List<SeenSpan> attempts = traced.attempts(server);
          assertEquals(2, attempts.size());
          assertEquals("UPSTREAM_TRUNCATED", attempts.get(0).error());
          assertEquals("20", server.get("gen_ai.usage.output_tokens"));
          assertFalse(attempts.get(1).failed());
        });
  }
}
