package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.TcpProxy;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * However the bytes come, the text is the one that was written: with a seed the backend writes the
 * same again, and here it differs only in how it sends it.
 */
class AnswerTextTest {

  private static final Map<String, String> SETTINGS =
      Map.of("model", "simulated-model", "health.interval", "1h", "health.timeout", "10s");
  private static final List<String> PROMPTS = List.of("Say something.", "请说点什么。😀");

  private static Rig rig;
  private static Channel channel;

  @BeforeAll
  static void start() {
    rig =
        Rig.start(sim -> sim.withPace(Duration.ZERO, Duration.ZERO).withAnswerTokens(12), SETTINGS);
    channel = rig.callers().channel();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @AfterEach
  void heal() {
    rig.simulator().setFault(null);
  }

  static Stream<Arguments> disguises() {
    return Stream.of(
            "split=1",
            "split=2",
            "split=7",
            "eol=crlf",
            "eol=cr",
            "eol=crlf;split=1",
            "eol=cr;split=1",
            "bom;split=1",
            "no-space",
            "multi-line",
            "multi-line;eol=crlf;split=3",
            "comments",
            "comments;eol=cr;bom;split=5",
            "event=error",
            "late-headers",
            "no-role",
            "role-only;null-deltas",
            "odd-json",
            "odd-json;split=1",
            "finish-with-last",
            "finish-alone;continuous-usage",
            "usage-none;no-done",
            "http10",
            "http10;split=1",
            "connection-close",
            "continue-100;early-hints-103;split=1")
        .flatMap(d -> Stream.of(AskedMethod.values()).map(m -> Arguments.of(m, d)));
  }

  @ParameterizedTest(name = "{1} {0}")
  @MethodSource("disguises")
  void textIsTheSameHoweverItIsSent(AskedMethod method, String disguise) {
    for (String prompt : PROMPTS) {
      String plain = method.ask(channel, prompt).assertAnswered().text();
      rig.simulator().setFault(disguise);
      assertEquals(plain, method.ask(channel, prompt).assertAnswered().text());
      rig.simulator().setFault(null);
    }
  }

  @Test
  void chineseAnswerIsChinese() {
    String text = AskedMethod.GENERATE_STREAM.ask(channel, PROMPTS.get(1)).text();
    assertTrue(text.codePoints().allMatch(c -> c > 0x2000), text);
    assertEquals(text, AskedMethod.COMPLETE.ask(channel, PROMPTS.get(1)).text());
  }

  /** U32, U33: what replaces the odd bytes stands behind the first token. */
  static Stream<Arguments> repairs() {
    return Stream.of(
            Arguments.of("surrogates", "\ud83d\ude00"),
            Arguments.of("lone-surrogate", "\ufffd"),
            Arguments.of("invalid-utf8", "\ufffd(\ufffd\ufffd"))
        .flatMap(
            r ->
                Stream.of(AskedMethod.values())
                    .flatMap(
                        m ->
                            Stream.of(
                                Arguments.of(m, r.get()[0], r.get()[1]),
                                Arguments.of(m, r.get()[0] + ";split=1", r.get()[1]))));
  }

  @ParameterizedTest(name = "{1} {0}")
  @MethodSource("repairs")
  void brokenCharactersAreRepairedInPlace(AskedMethod method, String fault, String repaired) {
    for (String prompt : PROMPTS) {
      List<String> plain = AskedMethod.COMPLETE_STREAM.ask(channel, prompt).pieces();
      String first = plain.get(0);
      String rest = String.join("", plain.subList(1, plain.size()));
      rig.simulator().setFault(fault);
      Told told = method.ask(channel, prompt).assertAnswered();
      assertEquals(first + repaired + rest, told.text());
      rig.simulator().setFault(null);
    }
  }

  /** Both names that vLLM has given it. */
  @ParameterizedTest
  @EnumSource(names = {"COMPLETE", "COMPLETE_STREAM"})
  void reasoningComesApartFromText(AskedMethod method) {
    List<String> plain = AskedMethod.COMPLETE_STREAM.ask(channel, PROMPTS.get(1)).pieces();
    for (String name : List.of("reasoning=5", "reasoning-content=5;split=1")) {
      rig.simulator().setFault(name);
      Told told = method.ask(channel, PROMPTS.get(1)).assertAnswered();
      assertEquals(String.join("", plain.subList(0, 5)), told.reasoning());
      assertEquals(String.join("", plain.subList(5, plain.size())), told.text());
      rig.simulator().setFault(null);
    }
  }

  /** The small contract has no word for it; its callers get the text alone. */
  @ParameterizedTest
  @EnumSource(names = {"GENERATE", "GENERATE_STREAM"})
  void reasoningIsLeftOutOfTheSmallContract(AskedMethod method) {
    List<String> plain = AskedMethod.COMPLETE_STREAM.ask(channel, PROMPTS.get(0)).pieces();
    rig.simulator().setFault("reasoning=5");
    Told told = method.ask(channel, PROMPTS.get(0)).assertAnswered();
    assertEquals(String.join("", plain.subList(5, plain.size())), told.text());
    assertTrue(told.pieces().stream().noneMatch(String::isEmpty));
  }

  /** N7. */
  @ParameterizedTest
  @EnumSource
  void oneByteSegmentsWithDelayMakeNoDifference(AskedMethod method) {
    String plain = method.ask(channel, PROMPTS.get(1)).assertAnswered().text();
    try (TcpProxy proxy = TcpProxy.before(rig.simulator().port());
        LoneGateway behind = LoneGateway.before(proxy.port(), SETTINGS).ready()) {
      proxy.toClient().cut(1);
      proxy.toClient().delay(Duration.ofMillis(5));
      String slow = method.ask(behind.channel(), PROMPTS.get(1)).assertAnswered().text();
      assertEquals(plain, slow);
    }
  }
}
