package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.RecordedRequest;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.RawCall;
import inferencegateway.testing.RawH2;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** S4, S5, P26: whatever a caller's metadata holds, the backend gets our fixed headers. */
class NothingSlipsThroughTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Set<String> FIXED =
      Set.of(
          "accept",
          "connection",
          "content-length",
          "content-type",
          "host",
          "user-agent",
          "x-request-id");
  private static final Map<String, String> FORMS =
      Map.of(
          "accept", "application/json|text/event-stream",
          "connection", "keep-alive",
          "content-length", "[0-9]+",
          "content-type", "application/json",
          "host", "127\\.0\\.0\\.1:[0-9]+",
          "user-agent", "inference-gateway/[^ ]+",
          "x-request-id", "[A-Za-z0-9._-]{1,128}-[0-9a-f]{8}",
          "traceparent", "00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
          "tracestate", "[ -~]{1,512}");

  private static Simulator simulator;
  private static LoneGateway gateway;

  @BeforeContainer
  static void start() {
    simulator =
        new Simulator(
            SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ZERO).withAnswerTokens(1));
    simulator.start();
    gateway = LoneGateway.before(simulator.port(), Map.of("health.interval", "1h")).ready();
  }

  /** The calls must have been real ones. Whether one had a good trace is up to chance. */
  @AfterContainer
  static void stop() {
    List<RecordedRequest> all = simulator.chats();
    assertTrue(all.size() > 50, () -> "reached the backend: " + all.size());
    gateway.close();
    simulator.close();
  }

  /** What has meant something to somebody once. */
  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of(
        "x-request-id",
        "traceparent",
        "tracestate",
        "authorization",
        "cookie",
        "host",
        "x-forwarded-for",
        "x-sim-fault",
        "baggage",
        "x-any",
        ":authority");
  }

  /** Any characters, and those that have split a head before. */
  @Provide
  Arbitrary<String> values() {
    Arbitrary<String> pieces =
        Arbitraries.of(
            "\r\n",
            "\n",
            "\r",
            "\0",
            "%0d%0a",
            "\u2028",
            "\u0085",
            " \t",
            "x-evil: 1",
            "GET / HTTP/1.1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "a=1",
            ",",
            "good-id.1");
    Arbitrary<String> any = Arbitraries.strings().withCharRange('\0', '\u00ff').ofMaxLength(8);
    return Arbitraries.frequencyOf(
        Tuple.of(1, pieces),
        Tuple.of(
            3,
            Arbitraries.oneOf(pieces, any)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(parts -> String.join("", parts))));
  }

  @Property(tries = 400, shrinking = ShrinkingMode.OFF)
  void onlyOurHeadersReachTheBackend(
      @ForAll("names") String first,
      @ForAll("values") String one,
      @ForAll("names") String second,
      @ForAll("values") String other) {
    int before = simulator.chats().size();
    try (RawH2 connection = RawH2.connect(gateway.gateway().port())) {
      RawCall call = connection.call("/llm.v1.LLMService/Complete");
      set(call, first, one);
      set(call, second, other);
      var stream = call.open();
      stream.message(AskedMethod.complete("hello")).halfClose();
      stream.awaitEnd(LONG);
    } catch (UncheckedIOException closed) {
      // What is no HTTP/2 at all costs the connection, perhaps before all of it was sent.
    }
    List<RecordedRequest> all = simulator.chats();
    all.subList(before, all.size()).forEach(NothingSlipsThroughTest::assertFixed);
  }

  private static void set(RawCall call, String name, String value) {
    if (name.startsWith(":")) {
      call.with(name, value);
    } else {
      call.header(name, value);
    }
  }

  private static void assertFixed(RecordedRequest request) {
    TreeSet<String> names = new TreeSet<>(request.headers().keySet());
    names.remove("traceparent");
    names.remove("tracestate");
    assertEquals(new TreeSet<>(FIXED), names);
    request
        .headers()
        .forEach(
            (name, value) -> assertTrue(value.matches(FORMS.get(name)), () -> name + ": " + value));
    assertEquals("/v1/chat/completions", request.path());
  }
}
