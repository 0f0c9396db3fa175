package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.WHOLE;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;

import inferencegateway.testing.RawCall;
import inferencegateway.testing.RawH2;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Where no spans are made, the caller's trace goes on as it came, and its id is in the log. */
class TraceIdsTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

  private static Scene scene;

  @BeforeAll
  static void start() {
    scene = Scene.start(Map.of());
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  private static void call(RawCall call) {
    call.open().message(ask("").build()).halfClose().awaitEnd(SOON);
  }

  @Test
  void theCallersTraceIsInTheLogAndGoesOn() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      call(Scene.named(h2, WHOLE, id).with("traceparent", PARENT).with("tracestate", "a=1"));
    }
    CallLog.Line line = scene.awaitLine(id);
    assertEquals(TRACE, line.get("trace_id"));
    assertEquals("", line.get("span_id"), "it is the caller's");
    assertEquals("", line.get("trace_flags"));
    Map<String, String> upstream = scene.awaitUpstream(id).headers();
    assertEquals(PARENT, upstream.get("traceparent"));
    assertEquals("a=1", upstream.get("tracestate"));
  }

  @Test
  void whereThereIsNoneNoneIsMade() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      call(Scene.named(h2, WHOLE, id));
    }
    assertEquals("", scene.awaitLine(id).get("trace_id"));
    assertEquals("", scene.awaitUpstream(id).headers().getOrDefault("traceparent", ""));
  }
}
