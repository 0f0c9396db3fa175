package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.Fault;
import io.grpc.Channel;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** OK is said only of an answer whose end the backend has named. */
class FinishedOrNotTest {

  private static final int TOKENS = 6;

  private static Rig strict;
  private static Rig lenient;
  private static Channel toStrict;
  private static Channel toLenient;

  @BeforeAll
  static void start() {
    strict = rig("false");
    lenient = rig("true");
    toStrict = strict.callers().channel();
    toLenient = lenient.callers().channel();
  }

  private static Rig rig(String isLenient) {
    return Rig.start(
        sim -> sim.withPace(Duration.ZERO, Duration.ZERO).withAnswerTokens(TOKENS),
        Map.of(
            "model", "simulated-model",
            "health.interval", "1h",
            "upstream.lenient-finish", isLenient));
  }

  @AfterAll
  static void stop() {
    strict.close();
    lenient.close();
  }

  /** What was seen, and what it comes to: strictly; and for a backend marked lenient. */
  static Stream<Arguments> endings() {
    return Stream.of(
            ending("none", "stop", "stop"),
            ending("finish=length", "length", "length"),
            ending("finish=unheard-of", "unheard-of", "unheard-of"),
            ending("no-done", "stop", "stop"),
            ending("finish-with-last", "stop", "stop"),
            ending("finish-with-last;no-done;usage-none", "stop", "stop"),
            ending("no-finish", "UPSTREAM_TRUNCATED", "stop"),
            ending("null-finish", "UPSTREAM_TRUNCATED", "stop"),
            ending("empty-finish", "UPSTREAM_TRUNCATED", "stop"),
            ending("no-finish;no-done", "UPSTREAM_TRUNCATED", "stop"),
            ending("no-finish;usage-none", "UPSTREAM_TRUNCATED", "stop"),
            ending("done-only", "UPSTREAM_EMPTY", "UPSTREAM_EMPTY"),
            ending("empty-body", "UPSTREAM_EMPTY", "UPSTREAM_EMPTY"),
            ending("finish=error", "UPSTREAM_ERROR", "UPSTREAM_ERROR"),
            ending("finish=abort", "UPSTREAM_ABORTED", "UPSTREAM_ABORTED"))
        .flatMap(
            e ->
                Stream.of(AskedMethod.values())
                    .map(m -> Arguments.of(m, e.get()[0], e.get()[1], e.get()[2])));
  }

  private static Arguments ending(String fault, String strictly, String leniently) {
    return Arguments.of(fault, strictly, leniently);
  }

  @ParameterizedTest(name = "{1} {0}")
  @MethodSource("endings")
  void answerIsWholeOnlyWithItsFinishReason(
      AskedMethod method, String fault, String strictly, String leniently) {
    String prompt = "[[sim:" + fault + "]]";
    assertEnds(strictly, method, method.ask(toStrict, prompt));
    assertEnds(leniently, method, method.ask(toLenient, prompt));
  }

  private static void assertEnds(String expected, AskedMethod method, Told told) {
    if (expected.startsWith("UPSTREAM")) {
      assertEquals(Code.UNAVAILABLE, told.code(), told::summary);
      assertEquals(expected, told.assertFullyExplained().reason());
      assertTrue(told.retryMillis().isEmpty(), "the backend has worked in vain");
      boolean handedOver = method.isStream() && !expected.equals("UPSTREAM_EMPTY");
      assertEquals(handedOver ? TOKENS : 0, told.pieces().size());
    } else {
      assertEquals(expected, told.assertAnswered().finish());
    }
  }

  /** A lenient backend that breaks off is still one that broke off. */
  @ParameterizedTest
  @MethodSource("streams")
  void leniencyIsForEndingsNotForBreaks(AskedMethod method) {
    for (Fault cut : new Fault[] {Fault.DROP_AFTER, Fault.SHORT_CONTENT_LENGTH}) {
      Told told = method.ask(toLenient, "[[sim:" + cut.word() + "]]");
      assertEquals("UPSTREAM_TRUNCATED", told.reason(), told::summary);
      assertFalse(told.finished());
    }
  }

  static Stream<AskedMethod> streams() {
    return Stream.of(AskedMethod.GENERATE_STREAM, AskedMethod.COMPLETE_STREAM);
  }
}
