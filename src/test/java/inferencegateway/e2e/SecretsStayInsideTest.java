package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** S10, S11: a backend that tells secrets tells them to us alone. */
class SecretsStayInsideTest {

  private static final String KEY = "gateway-own-key-c0ffee";
  private static final String PROMPT = "my grandmother's maiden name is Winterbottom";
  private static final String DIGEST = "0123456789abcdef".repeat(4);
  private static final List<String> SECRETS =
      List.of(
          KEY, "sk-live-4242424242", "tok.en-of-somebody", DIGEST, "Winterbottom", "grandmother");

  @TempDir static Path folder;
  private static Simulator simulator;
  private static LoneGateway gateway;
  private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();
  private static Level before;

  @BeforeAll
  static void start() throws IOException {
    Files.writeString(folder.resolve("key"), KEY);
    simulator =
        new Simulator(
            SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ZERO).withAnswerTokens(10));
    simulator.start();
    gateway =
        LoneGateway.before(
                simulator.port(),
                Map.of("api-key-file", folder.resolve("key").toString(), "health.interval", "1h"))
            .ready();
    Logger root = (Logger) LoggerFactory.getLogger("inferencegateway");
    before = root.getLevel();
    root.setLevel(Level.DEBUG);
    LOG.start();
    root.addAppender(LOG);
  }

  @AfterAll
  static void stop() {
    Logger root = (Logger) LoggerFactory.getLogger("inferencegateway");
    root.detachAppender(LOG);
    root.setLevel(before);
    gateway.close();
    simulator.close();
  }

  @AfterEach
  void heal() {
    simulator.setFault(null);
  }

  static Stream<Arguments> leaks() {
    List<String> words =
        List.of(
            "Incorrect API key provided: Bearer sk-live-4242424242",
            "Authorization: Bearer tok.en-of-somebody was refused",
            "key " + KEY + " is not known here",
            "digest " + DIGEST + " differs",
            "cannot serve this prompt: " + PROMPT,
            "[{'type': 'missing', 'msg': 'Field required', 'input': {'content': '"
                + PROMPT
                + "'}}]");
    List<String> ways =
        List.of(
            "status=400",
            "status=422",
            "status=401",
            "status=404",
            "status=429",
            "status=500",
            "status=503",
            "error-event-after=0",
            "error-event-after=2",
            "error-event-after=0;error-code=400");
    return words.stream()
        .flatMap(
            w ->
                ways.stream()
                    .flatMap(
                        way ->
                            Stream.of(AskedMethod.COMPLETE, AskedMethod.COMPLETE_STREAM)
                                .map(m -> Arguments.of(m, way, w))));
  }

  @ParameterizedTest(name = "{1} {2}")
  @MethodSource("leaks")
  void backendsWordsAreCleaned(AskedMethod method, String way, String words) {
    simulator.setFault(way + ";error-message=" + words.replace(';', ','));
    Told told = method.ask(gateway.channel(), PROMPT);
    told.assertFullyExplained();
    assertClean(told.status() + " " + told.trailers() + " " + told.details());
    assertClean(new String(told.details().status().toByteArray(), StandardCharsets.ISO_8859_1));
    gateway.awaitQuiet();
    assertLogIsClean(told.details().requestId());
  }

  private static void assertClean(String text) {
    SECRETS.forEach(secret -> assertFalse(text.contains(secret), () -> secret + " in " + text));
  }

  private static void assertLogIsClean(String requestId) {
    Eventually.within(Duration.ofSeconds(2))
        .assertThat(
            "the call's line is there",
            () -> logged().stream().anyMatch(l -> l.contains(requestId)));
    logged().forEach(SecretsStayInsideTest::assertClean);
  }

  private static List<String> logged() {
    List<String> lines = new ArrayList<>();
    for (Object event : LOG.list.toArray()) {
      ILoggingEvent line = (ILoggingEvent) event;
      lines.add(line.getFormattedMessage() + " " + line.getKeyValuePairs());
    }
    return lines;
  }

  /** A backend's words may be the prompt in another form, which no cleaning can know. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "status=400",
        "status=418",
        "status=429",
        "status=500",
        "status=501",
        "status=503",
        "status=503-queue",
        "status=504",
        "error-event-after=0",
        "error-event-after=2",
        "error-event-after=0;error-code=400"
      })
  void backendsWordsAreNeverLogged(String way) {
    simulator.setFault(way + ";error-message=paraphrased words of a prompt");
    Told told = AskedMethod.COMPLETE_STREAM.ask(gateway.channel(), PROMPT);
    gateway.awaitQuiet();
    assertLogIsClean(told.details().requestId());
    logged().forEach(line -> assertFalse(line.contains("paraphrased"), line));
    if (!way.startsWith("status=503-queue")) { // which has words of its own
      assertTrue(told.status().getDescription().contains("paraphrased"), told.status().toString());
    }
  }

  /** Words that hide nothing reach the caller, or nobody could act on them. */
  @Test
  void harmlessWordsPass() {
    simulator.setFault("status=400;error-message=temperature must be at most two");
    Told told = AskedMethod.COMPLETE.ask(gateway.channel(), PROMPT);
    assertTrue(told.status().getDescription().contains("temperature must be at most two"));
  }

  @Test
  void logOfAGoodCallHasNoText() {
    Told told = AskedMethod.COMPLETE_STREAM.ask(gateway.channel(), PROMPT).assertAnswered();
    gateway.awaitQuiet();
    assertLogIsClean(String.valueOf(told.trailer("x-request-id")));
    String answer = told.text().substring(0, 20);
    assertEquals(0, logged().stream().filter(l -> l.contains(answer)).count());
  }
}
