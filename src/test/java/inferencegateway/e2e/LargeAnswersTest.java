package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Channel;
import io.grpc.Status.Code;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** U35, U36: what is large but allowed arrives; what is not is refused with words. */
class LargeAnswersTest {

  private static final int HUGE = 8 << 20;

  private static Rig rig;
  private static Channel channel;

  @BeforeAll
  static void start() {
    rig =
        Rig.start(
            sim -> sim.withPace(Duration.ZERO, Duration.ZERO).withAnswerTokens(10),
            Map.of("model", "simulated-model", "health.interval", "1h", "upstream.idle", "30s"));
    channel = rig.callers().channel();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"GENERATE_STREAM", "COMPLETE_STREAM"})
  void hugeLineArrivesInSeveralMessages(AskedMethod method) {
    Told told = method.ask(channel, "[[sim:huge-line=" + HUGE + "]]").assertAnswered();
    assertEquals(HUGE, told.text().chars().filter(c -> c == 'a').count(), 200);
    assertTrue(told.pieces().size() > 8);
    int longest =
        told.pieces().stream()
            .mapToInt(p -> p.getBytes(StandardCharsets.UTF_8).length)
            .max()
            .orElseThrow();
    assertTrue(longest <= 1 << 20, longest + " bytes");
    assertTrue(reused(), "the connection is used again");
  }

  @ParameterizedTest
  @EnumSource(names = {"GENERATE_STREAM", "COMPLETE_STREAM"})
  void eventAboveTheLimitEndsTheStream(AskedMethod method) {
    Told told = method.ask(channel, "[[sim:huge-line=17000000]]");
    assertEquals(Code.RESOURCE_EXHAUSTED, told.code(), told::summary);
    assertEquals("UPSTREAM_EVENT_TOO_LARGE", told.assertFullyExplained().reason());
    assertTrue(told.retryMillis().isEmpty());
    assertEquals("1", told.said("tokens_sent"));
    assertTrue(told.status().getDescription().contains("limits.max-event-bytes"));
    assertFalse(reused(), "the connection is closed");
  }

  @ParameterizedTest
  @EnumSource(names = {"GENERATE", "COMPLETE"})
  void wholeAnswerAboveTheLimitIsRefusedWithAWayOut(AskedMethod method) {
    Told told = method.ask(channel, "[[sim:big-answer=" + HUGE + "]]");
    assertEquals(Code.RESOURCE_EXHAUSTED, told.code(), told::summary);
    assertEquals("RESPONSE_TOO_LARGE", told.assertFullyExplained().reason());
    assertTrue(told.retryMillis().isEmpty());
    assertTrue(told.trailersOnly());
    assertEquals("0", told.said("tokens_sent"));
    assertTrue(told.status().getDescription().contains("stream it"));
    assertTrue(told.status().getDescription().contains("limits.max-response-bytes"));
  }

  @ParameterizedTest
  @EnumSource(names = {"GENERATE", "COMPLETE"})
  void wholeAnswerAboveTheEventLimitIsCutOff(AskedMethod method) {
    Told told = method.ask(channel, "[[sim:big-answer=20000000]]");
    assertEquals("RESPONSE_TOO_LARGE", told.assertFullyExplained().reason());
    assertFalse(reused(), "the connection is closed");
  }

  @ParameterizedTest
  @EnumSource(names = {"GENERATE_STREAM", "COMPLETE_STREAM"})
  void sameAnswerStreams(AskedMethod method) {
    Told told = method.ask(channel, "[[sim:big-answer=" + HUGE + "]]").assertAnswered();
    assertEquals(HUGE, told.text().length());
  }

  @Test
  void raisedLimitLetsItThrough() {
    Map<String, String> raised = Map.of("limits.max-response-bytes", "9MiB");
    try (LoneGateway gateway = LoneGateway.before(rig.simulator().port(), raised).ready()) {
      Told told = AskedMethod.COMPLETE.ask(gateway.channel(), "[[sim:big-answer=" + HUGE + "]]");
      assertEquals(HUGE, told.assertAnswered().text().length());
    }
  }

  /** Whether the next call leaves on the last one's connection. */
  private static boolean reused() {
    rig.awaitQuiet();
    var before = rig.simulator().chats();
    AskedMethod.COMPLETE.ask(channel, "next").assertAnswered();
    var after = rig.simulator().chats();
    return before.get(before.size() - 1).connection() == after.get(after.size() - 1).connection();
  }
}
