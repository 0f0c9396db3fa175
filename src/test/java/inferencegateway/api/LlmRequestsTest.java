package inferencegateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.OnTimeLimit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LlmRequestsTest {

  @Test
  void whatIsNotSaidIsNotGuessed() {
    ChatRequest request = read(b -> {});
    assertEquals(1_024, request.maxTokens());
    assertEquals(Sampling.UNSET, request.sampling());
    assertEquals(Stopping.UNSET, request.stopping());
    assertEquals(TimeLimits.UNSET, request.timeLimits());
  }

  @Test
  void everyFieldIsTakenOver() {
    ChatRequest request =
        read(
            b -> {
              b.setModel("m").setMaxTokens(9);
              b.getSamplingBuilder()
                  .setTemperature(0)
                  .setTopP(0.5)
                  .setTopK(40)
                  .setMinP(0.1)
                  .setFrequencyPenalty(-2)
                  .setPresencePenalty(2)
                  .setRepetitionPenalty(1.1)
                  .setSeed(Long.MIN_VALUE)
                  .putLogitBias(50_256, -100);
              b.getStoppingBuilder()
                  .addStop("END")
                  .addStopTokenIds(2)
                  .setIncludeStopText(false)
                  .setMinTokens(0)
                  .setIgnoreEos(true);
              b.getTimeLimitsBuilder()
                  .setFirstToken(seconds(1))
                  .setGap(seconds(2))
                  .setTotal(seconds(3))
                  .setOnTimeLimit(OnTimeLimit.ON_TIME_LIMIT_PARTIAL_ANSWER);
            });
    assertEquals(
        new Sampling(0.0, 0.5, 40, 0.1, -2.0, 2.0, 1.1, Long.MIN_VALUE, Map.of(50_256, -100.0)),
        request.sampling());
    assertEquals(new Stopping(List.of("END"), List.of(2), false, 0, true), request.stopping());
    assertEquals(
        new TimeLimits(
            java.time.Duration.ofSeconds(1),
            java.time.Duration.ofSeconds(2),
            java.time.Duration.ofSeconds(3),
            true),
        request.timeLimits());
  }

  record Wrong(String field, Consumer<CompleteRequest.Builder> request) {
    @Override
    public String toString() {
      return field;
    }
  }

  static Stream<Wrong> wrongs() {
    return Stream.of(
        new Wrong("messages", CompleteRequest.Builder::clearMessages),
        new Wrong("messages[1].role", b -> b.addMessagesBuilder().setRole("robot")),
        new Wrong("max_tokens", b -> b.setMaxTokens(0)),
        new Wrong("sampling.temperature", b -> b.getSamplingBuilder().setTemperature(Double.NaN)),
        new Wrong("sampling.temperature", b -> b.getSamplingBuilder().setTemperature(-0.1)),
        new Wrong("sampling.top_p", b -> b.getSamplingBuilder().setTopP(0)),
        new Wrong("sampling.top_k", b -> b.getSamplingBuilder().setTopK(-1)),
        new Wrong("sampling.min_p", b -> b.getSamplingBuilder().setMinP(1.5)),
        new Wrong(
            "sampling.frequency_penalty", b -> b.getSamplingBuilder().setFrequencyPenalty(2.5)),
        new Wrong(
            "sampling.presence_penalty", b -> b.getSamplingBuilder().setPresencePenalty(-2.5)),
        new Wrong(
            "sampling.repetition_penalty", b -> b.getSamplingBuilder().setRepetitionPenalty(0)),
        new Wrong("sampling.logit_bias[7]", b -> b.getSamplingBuilder().putLogitBias(7, 101)),
        new Wrong("sampling.logit_bias[-7]", b -> b.getSamplingBuilder().putLogitBias(-7, 1)),
        new Wrong(
            "stopping.stop",
            b -> b.getStoppingBuilder().addAllStop(Collections.nCopies(1_000, "x"))),
        new Wrong("stopping.stop[0]", b -> b.getStoppingBuilder().addStop("")),
        new Wrong(
            "stopping.stop_token_ids",
            b -> b.getStoppingBuilder().addAllStopTokenIds(Collections.nCopies(129, 1))),
        new Wrong("stopping.stop_token_ids", b -> b.getStoppingBuilder().addStopTokenIds(-1)),
        new Wrong("stopping.min_tokens", b -> b.getStoppingBuilder().setMinTokens(-1)),
        new Wrong(
            "stopping.min_tokens", b -> b.setMaxTokens(5).getStoppingBuilder().setMinTokens(6)),
        new Wrong("time_limits.total", b -> b.getTimeLimitsBuilder().setTotal(seconds(0))),
        new Wrong("time_limits.gap", b -> b.getTimeLimitsBuilder().setGap(seconds(-1))),
        new Wrong(
            "time_limits.first_token",
            b -> b.getTimeLimitsBuilder().setFirstToken(seconds(Long.MAX_VALUE))),
        new Wrong(
            "time_limits.on_time_limit", b -> b.getTimeLimitsBuilder().setOnTimeLimitValue(77)));
  }

  @ParameterizedTest
  @MethodSource("wrongs")
  void whatIsOutOfRangeIsNamedByItsPath(Wrong wrong) {
    CompleteRequest.Builder asked = valid();
    wrong.request().accept(asked);
    Violations violations = new Violations();
    LlmRequests.read(asked.build(), violations);
    assertEquals(1, violations.found().size(), violations.found().toString());
    assertEquals(wrong.field(), violations.found().get(0).field());
  }

  private static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  private static ChatRequest read(Consumer<CompleteRequest.Builder> change) {
    CompleteRequest.Builder asked = valid();
    change.accept(asked);
    Violations violations = new Violations();
    ChatRequest request = LlmRequests.read(asked.build(), violations);
    assertTrue(violations.isEmpty(), violations.found().toString());
    return request;
  }

  private static CompleteRequest.Builder valid() {
    CompleteRequest.Builder asked = CompleteRequest.newBuilder();
    asked.addMessagesBuilder().setRole("user").setContent("hi");
    return asked;
  }
}
