package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Requests that are each within the limit, and together are not. */
class HugeRequestsTest {

  private static final int MIB = 1 << 20;

  @Test
  void moreThanTheHeapCanHoldIsRefusedWhileItArrivesAndTheRestGoesOn() throws Exception {
    int most = (int) (Runtime.getRuntime().maxMemory() / 8 / MIB);
    int each = 24;
    try (Scene scene = Scene.start(Map.of());
        RawH2 bystander = scene.connect()) {
      List<RawH2> connections = new ArrayList<>();
      List<RawStream> calls = new ArrayList<>();
      try {
        for (int i = 0; i <= most / each + 1 && calls.stream().noneMatch(RawStream::isEnded); i++) {
          RawH2 h2 = scene.connect();
          connections.add(h2);
          RawStream call = Scene.named(h2, STREAM, Scene.newId()).open();
          calls.add(call);
          // The prefix announces one byte more: the message is never whole.
          upload(call, each * MIB);
        }
        Eventually.within(SOON)
            .assertThat("one is refused", () -> calls.stream().anyMatch(RawStream::isEnded));
        RawStream refused = calls.stream().filter(RawStream::isEnded).findFirst().orElseThrow();
        assertTrue(refused.isTrailersOnly());
        assertEquals(OptionalInt.of(8), refused.status());
        ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(refused.trailers()));
        assertEquals("MEMORY_PRESSURE", details.reason());
        assertTrue(details.retryInfo().isPresent());
        assertFalse(calls.get(0).isEnded());
        RawStream small = Scene.open(bystander, STREAM, Scene.newId(), ask(""));
        assertEquals(OptionalInt.of(0), small.awaitEnd(SOON).status());
      } finally {
        connections.forEach(RawH2::close);
      }
      RawStream after = Scene.named(bystander, STREAM, Scene.newId()).open();
      after.message(ask("").build()).halfClose();
      assertEquals(OptionalInt.of(0), after.awaitEnd(SOON).status());
    }
  }

  /** In pieces, until it is through or the server has had enough. */
  private static void upload(RawStream call, int bytes) {
    call.framed(0, bytes + 1, new byte[0]);
    for (int sent = 0; sent < bytes && !call.isEnded(); sent += MIB / 4) {
      try {
        call.data(new byte[MIB / 4]);
      } catch (AssertionError noMoreWindow) {
        // Refused between looking and sending: what is sent now nobody takes.
        assertTrue(call.isEnded(), noMoreWindow.getMessage());
      }
    }
  }
}
