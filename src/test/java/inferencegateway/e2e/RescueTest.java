package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.inference.TokenResponse;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.OnTimeLimit;
import inferencegateway.testing.CapturedMetadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer whose backend dies in the middle goes on at another, and its caller sees one. */
class RescueTest {

  private static final String ENGINE_DIED =
      "error-message=EngineCore encountered an issue. See stack trace (above) for the root cause.";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop-after=5",
        "drop-after=1",
        "drop-after=19",
        "eof-after=5",
        "short-content-length",
        "finish=abort",
        "error-event-after=5;" + ENGINE_DIED
      })
  void theAnswerGoesOnElsewhereAndIsTheSame(String death) {
    try (Fleet fleet = Rescued.fleet()) {
      Rescued unbroken = Rescued.of(fleet);
      assertEquals("", unbroken.rescues());
      fleet.simulator(0).setFault(death);
      Rescued rescued = Rescued.of(fleet.named("rescued"), Rescued.ask());
      rescued.assertSameAs(unbroken);
      assertTrue(rescued.end(Status.Code.OK).getUsage().getExact());
      assertEquals("1", rescued.rescues());
      assertEquals(1, fleet.chats(1).size());
      CallLog.Line line = fleet.line("rescued");
      assertEquals("ok", line.outcome());
      assertEquals("1", line.get("rescued"));
      assertEquals("b1", line.get("backend"));
      assertEquals("2", line.get("attempts"));
      assertEquals("20", line.get("output_tokens"));
    }
  }

  @Test
  void theOtherBackendIsToldWhatWasSaid() {
    try (Fleet fleet = Rescued.fleet()) {
      CompleteRequest.Builder ask = Rescued.ask(12);
      ask.getStoppingBuilder().setMinTokens(8).addStop("never said");
      Rescued unbroken = Rescued.of(fleet.caller(), ask);
      fleet.simulator(0).setFault("drop-after=5");
      Rescued.of(fleet.caller(), ask).assertSameAs(unbroken);
      JsonNode first = Rescued.body(fleet.chats(0).get(1));
      JsonNode rest = Rescued.body(fleet.chats(1).get(0));
      assertTrue(first.at("/stream_options/continuous_usage_stats").asBoolean());
      assertFalse(first.has("continue_final_message"));
      assertTrue(rest.path("continue_final_message").asBoolean());
      assertFalse(rest.path("add_generation_prompt").asBoolean(true));
      assertFalse(rest.path("echo").asBoolean(true));
      assertEquals(7, rest.path("max_tokens").asInt());
      assertEquals(3, rest.path("min_tokens").asInt());
      assertEquals(first.get("seed"), rest.get("seed"));
      assertEquals(first.get("stop"), rest.get("stop"));
      assertEquals(first.at("/messages/0"), rest.at("/messages/0"));
      assertEquals("assistant", rest.at("/messages/1/role").asText());
      assertEquals(beginning(unbroken, 5), rest.at("/messages/1/content").asText());
      assertTrue(fleet.chats(1).get(0).continued());
    }
  }

  private static String beginning(Rescued answer, int chunks) {
    StringBuilder text = new StringBuilder();
    answer.chunks().subList(0, chunks).forEach(chunk -> text.append(chunk.getToken()));
    return text.toString();
  }

  @Test
  void theAnswerKeepsItsFirstName() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5");
      Rescued rescued = Rescued.of(fleet);
      String id = rescued.chunks().get(0).getId();
      assertFalse(id.isEmpty());
      assertEquals(id, rescued.end(Status.Code.OK).getId());
      assertEquals(1, rescued.chunks().stream().filter(c -> !c.getId().isEmpty()).count());
    }
  }

  @Test
  void theSmallContractIsRescuedToo() {
    try (Fleet fleet = Rescued.fleet()) {
      CapturedMetadata told = new CapturedMetadata(fleet.callers().channel());
      List<TokenResponse> unbroken = generate(told);
      assertEquals(null, told.trailer("x-gateway-rescued"));
      fleet.simulator(0).setFault("drop-after=5");
      assertEquals(unbroken, generate(told));
      assertEquals("1", told.trailer("x-gateway-rescued"));
    }
  }

  private static List<TokenResponse> generate(CapturedMetadata told) {
    GenerateRequest.Builder ask = GenerateRequest.newBuilder().setModel("m").setSeed(7);
    ask.addMessagesBuilder().setRole("user").setContent("hello");
    List<TokenResponse> answer = new ArrayList<>();
    InferenceServiceGrpc.newBlockingStub(told.channel())
        .generateStream(ask.build())
        .forEachRemaining(answer::add);
    return answer;
  }

  @Test
  void aUnaryAnswerThatIsStreamedUpstreamIsRescuedToo() {
    try (Fleet fleet = Rescued.fleet()) {
      CompleteRequest.Builder ask = Rescued.ask();
      ask.getTimeLimitsBuilder().setOnTimeLimit(OnTimeLimit.ON_TIME_LIMIT_PARTIAL_ANSWER);
      CompleteResponse unbroken = fleet.caller().stub().complete(ask.build());
      fleet.simulator(0).setFault("drop-after=5");
      Fleet.Caller caller = fleet.caller();
      CompleteResponse rescued = caller.stub().complete(ask.build());
      assertEquals(unbroken.getText(), rescued.getText());
      assertEquals(unbroken.getUsage(), rescued.getUsage());
      assertEquals("1", caller.told.trailer("x-gateway-rescued"));
    }
  }

  /** The first half is no character: it is not said, and the other backend says it whole. */
  @Test
  void theSeamMayLieInsideAnEmoji() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("surrogates");
      fleet.simulator(1).setFault("surrogates");
      Rescued unbroken = Rescued.of(fleet);
      assertTrue(unbroken.text().contains("\ud83d\ude00"));
      fleet.simulator(0).setFault("surrogates;drop-after=2");
      Rescued rescued = Rescued.of(fleet);
      rescued.end(Status.Code.OK);
      assertEquals(unbroken.text(), rescued.text());
    }
  }

  @Test
  void aStopStringEndsTheSecondPartAsItWouldHaveEndedTheFirst() {
    try (Fleet fleet = Rescued.fleet()) {
      CompleteRequest.Builder ask = Rescued.ask();
      Rescued whole = Rescued.of(fleet.caller(), ask);
      String word = whole.chunks().get(12).getToken();
      ask.getStoppingBuilder().addStop(word);
      Rescued unbroken = Rescued.of(fleet.caller(), ask);
      assertEquals(word, unbroken.end(Status.Code.OK).getFinish().getStopText());
      fleet.simulator(0).setFault("drop-after=3");
      Rescued.of(fleet.caller(), ask).assertSameAs(unbroken);
    }
  }

  /** Neither backend would see the whole of it. */
  @Test
  void whereTheTextMayEndInsideAStopStringItIsNotRescued() {
    try (Fleet fleet = Rescued.fleet()) {
      String last = Rescued.of(fleet).chunks().get(4).getToken();
      CompleteRequest.Builder ask = Rescued.ask();
      ask.getStoppingBuilder().addStop(last.substring(last.length() - 1) + "###");
      fleet.simulator(0).setFault("drop-after=5");
      assertEquals("UPSTREAM_TRUNCATED", Rescued.of(fleet.caller(), ask).reason());
      assertEquals(0, fleet.chats(1).size());
    }
  }

  @Test
  void withoutUsageOnTheWayTheSumIsNotCalledExact() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5;usage-none");
      Rescued rescued = Rescued.of(fleet);
      assertFalse(rescued.end(Status.Code.OK).getUsage().getExact());
      assertEquals(20, rescued.end(Status.Code.OK).getUsage().getOutputTokens());
    }
  }

  // --- what is not rescued ---

  @ParameterizedTest
  @ValueSource(
      strings = {
        "error-event-after=5",
        "error-event-after=5;error-code=400",
        "finish=error",
        "no-finish",
        "bad-chunk=5",
        "reasoning=2;drop-after=5",
        "reasoning=9;drop-after=5",
        "drop-after=20;finish-alone"
      })
  void whatIsNoDeathOrCannotBeGoneOnWithIsNotRescued(String fault) {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault(fault);
      Rescued broken = Rescued.of(fleet.caller(), Rescued.ask(20));
      assertFalse(broken.end().isOk());
      assertEquals("", broken.rescues());
      assertEquals(0, fleet.chats(1).size());
    }
  }

  @Test
  void aModelThatDoesNotAskForItIsNotRescued() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5");
      Rescued broken = Rescued.of(fleet.caller(), Rescued.ask().setModel("plain"));
      assertEquals("UPSTREAM_TRUNCATED", broken.reason());
      JsonNode body = Rescued.body(fleet.chats(0).get(0));
      assertFalse(body.at("/stream_options").has("continuous_usage_stats"));
      assertEquals(0, fleet.chats(1).size());
    }
  }

  @Test
  void aPlainUnaryAnswerIsNotRescued() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5");
      try {
        fleet.caller().complete("m");
      } catch (io.grpc.StatusRuntimeException e) {
        assertEquals(0, fleet.chats(1).size());
        return;
      }
      throw new AssertionError("answered");
    }
  }

  @Test
  void aContentFilterIsAnAnswer() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("finish=content_filter");
      assertEquals("content_filter", Rescued.of(fleet).end(Status.Code.OK).getFinish().getRaw());
      assertEquals(0, fleet.chats(1).size());
    }
  }
}
