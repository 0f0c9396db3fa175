package inferencegateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Role;
import inferencegateway.proto.inference.GenerateRequest;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InferenceRequestsTest {

  @Test
  void unsetFieldsGetTheContractsDefaults() {
    ChatRequest request = read(b -> {}, 256);
    assertEquals(256, request.maxTokens());
    assertEquals(0.7, request.sampling().temperature());
    assertNull(request.sampling().topP());
    assertNull(request.sampling().seed());
    assertEquals("", request.model());
    assertEquals(List.of(new ChatMessage(Role.USER, "hi")), request.messages());
  }

  @Test
  void zeroTemperatureIsGreedyAndNotUnset() {
    assertEquals(0.0, read(b -> b.setTemperature(0), 256).sampling().temperature());
  }

  @Test
  void decimalsAreTheOnesThatWereMeant() {
    ChatRequest request = read(b -> b.setTemperature(0.7f).setTopP(0.95f), 256);
    assertEquals(0.7, request.sampling().temperature());
    assertEquals(0.95, request.sampling().topP());
  }

  @Test
  void everyFieldIsTakenOver() {
    ChatRequest request =
        read(b -> b.setMaxTokens(7).setModel("m").addStop("END").setSeed(-5), 1_024);
    assertEquals(7, request.maxTokens());
    assertEquals("m", request.model());
    assertEquals(List.of("END"), request.stopping().stop());
    assertEquals(-5, request.sampling().seed());
  }

  record Wrong(String field, Consumer<GenerateRequest.Builder> request) {
    @Override
    public String toString() {
      return field;
    }
  }

  static Stream<Wrong> wrongs() {
    return Stream.of(
        new Wrong("messages", GenerateRequest.Builder::clearMessages),
        new Wrong("messages", b -> b.addAllMessages(Collections.nCopies(4_096, b.getMessages(0)))),
        new Wrong("messages[1].role", b -> b.addMessagesBuilder().setRole("tool")),
        new Wrong("messages[1].role", b -> b.addMessagesBuilder().setRole("")),
        new Wrong("max_tokens", b -> b.setMaxTokens(0)),
        new Wrong("max_tokens", b -> b.setMaxTokens(-1)),
        new Wrong("temperature", b -> b.setTemperature(Float.NaN)),
        new Wrong("temperature", b -> b.setTemperature(Float.POSITIVE_INFINITY)),
        new Wrong("temperature", b -> b.setTemperature(-1)),
        new Wrong("temperature", b -> b.setTemperature(1e9f)),
        new Wrong("temperature", b -> b.setTemperature(2.0001f)),
        new Wrong("top_p", b -> b.setTopP(0)),
        new Wrong("top_p", b -> b.setTopP(1.01f)),
        new Wrong("top_p", b -> b.setTopP(Float.NaN)),
        new Wrong("stop", b -> b.addAllStop(Collections.nCopies(17, "x"))),
        new Wrong("stop[0]", b -> b.addStop("")),
        new Wrong("stop[1]", b -> b.addStop("fine").addStop("x".repeat(257))),
        new Wrong("model", b -> b.setModel("a\nb")),
        new Wrong("model", b -> b.setModel("m".repeat(257))));
  }

  @ParameterizedTest
  @MethodSource("wrongs")
  void whatIsOutOfRangeIsNamedByItsPath(Wrong wrong) {
    GenerateRequest.Builder asked = valid();
    wrong.request().accept(asked);
    Violations violations = new Violations();
    InferenceRequests.read(asked.build(), 256, violations);
    assertEquals(1, violations.found().size(), violations.found().toString());
    assertEquals(wrong.field(), violations.found().get(0).field());
  }

  @Test
  void allThatIsWrongIsToldAtOnceButBounded() {
    Violations violations = new Violations();
    GenerateRequest.Builder asked = GenerateRequest.newBuilder().setTemperature(9).setTopP(9);
    for (int i = 0; i < 1_000; i++) {
      asked.addMessagesBuilder().setRole("nobody");
    }
    InferenceRequests.read(asked.build(), 256, violations);
    assertEquals(20, violations.found().size());
  }

  @Test
  void limitsThemselvesAreFine() {
    read(
        b -> b.setTemperature(2).setTopP(1).setMaxTokens(1).addStop("\uD83D\uDE00".repeat(256)), 1);
  }

  private static ChatRequest read(Consumer<GenerateRequest.Builder> change, int maxTokens) {
    GenerateRequest.Builder asked = valid();
    change.accept(asked);
    Violations violations = new Violations();
    ChatRequest request = InferenceRequests.read(asked.build(), maxTokens, violations);
    assertTrue(violations.isEmpty(), violations.found().toString());
    return request;
  }

  private static GenerateRequest.Builder valid() {
    GenerateRequest.Builder asked = GenerateRequest.newBuilder();
    asked.addMessagesBuilder().setRole("user").setContent("hi");
    return asked;
  }
}
