package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.ErrorDetails;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One streamed answer of a fleet whose model may be rescued, as its caller got it; the same text
 * each time.
 *
 * @param chunks without the last
 * @param last null when the answer has no good end
 * @param end the status
 */
record Rescued(List<TokenChunk> chunks, @Nullable TokenChunk last, Status end, Metadata trailers) {

  /** Probes are slow: only calls tell that something is wrong. */
  static final Map<String, String> SLOW_PROBES =
      Map.of("health.interval", "60s", "health.down-interval", "60s");

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The first backend answers, the others stand by; {@code last} is only at the last one. */
  static Fleet fleet(int size, UnaryOperator<SimulatorConfig> shape, Map<String, String> settings) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      names.add("b" + i);
    }
    String targets = "{targets: [{backends: " + names + ", model: simulated-model}]";
    return Fleet.inOrder(
        size,
        shape,
        "models:\n  m: "
            + targets
            + ", rescue: true}\n  plain: "
            + targets
            + "}\n  last: {targets: [{backends: [b%d], model: simulated-model}]}\n"
                .formatted(size - 1),
        settings);
  }

  static Fleet fleet() {
    return fleet(2, sim -> sim, SLOW_PROBES);
  }

  /** Settings and those of the slow probes. */
  static Map<String, String> and(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(SLOW_PROBES);
    all.putAll(settings);
    return all;
  }

  static CompleteRequest.Builder ask() {
    CompleteRequest.Builder ask = Scene.ask("").setModel("m");
    ask.getSamplingBuilder().setSeed(7);
    return ask;
  }

  /** An answer that only its maximum ends. */
  static CompleteRequest.Builder ask(int tokens) {
    CompleteRequest.Builder ask = ask().setMaxTokens(tokens);
    ask.getStoppingBuilder().setIgnoreEos(true);
    return ask;
  }

  static Rescued of(Fleet.Caller caller, CompleteRequest.Builder ask) {
    List<TokenChunk> chunks = new ArrayList<>();
    try {
      Iterator<TokenChunk> answer = caller.stub().completeStream(ask.build());
      answer.forEachRemaining(chunks::add);
    } catch (StatusRuntimeException e) {
      return new Rescued(chunks, null, e.getStatus(), trailers(e.getTrailers()));
    }
    TokenChunk last = chunks.remove(chunks.size() - 1);
    return new Rescued(chunks, last, Status.OK, trailers(caller.told.trailers()));
  }

  static Rescued of(Fleet fleet) {
    return of(fleet.caller(), ask());
  }

  private static Metadata trailers(@Nullable Metadata said) {
    return said == null ? new Metadata() : said;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    chunks.forEach(chunk -> text.append(chunk.getToken()));
    return text.toString();
  }

  TokenChunk end(Status.Code code) {
    assertEquals(code, end.getCode(), () -> end + " " + details());
    return last == null ? TokenChunk.getDefaultInstance() : last;
  }

  /** Whole and good, and the same as the other. */
  void assertSameAs(Rescued unbroken) {
    TokenChunk mine = end(Status.Code.OK);
    TokenChunk other = unbroken.end(Status.Code.OK);
    assertEquals(unbroken.text(), text());
    assertEquals(other.getUsage(), mine.getUsage());
    assertEquals(other.getFinish(), mine.getFinish());
  }

  ErrorDetails details() {
    return ErrorDetails.of(trailers);
  }

  String reason() {
    return details().reason();
  }

  String tokensSent() {
    return details().errorInfo().map(i -> i.getMetadataOrDefault("tokens_sent", "")).orElse("");
  }

  /** The trailer; empty when it is not there. */
  String rescues() {
    String value =
        trailers.get(Metadata.Key.of("x-gateway-rescued", Metadata.ASCII_STRING_MARSHALLER));
    return value == null ? "" : value;
  }

  static JsonNode body(RecordedRequest request) {
    try {
      return JSON.readTree(request.body());
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
