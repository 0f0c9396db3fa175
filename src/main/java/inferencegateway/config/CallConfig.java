package inferencegateway.config;

import java.time.Duration;

/**
 * How long the parts of a call may take.
 *
 * @param firstTokenTimeout key {@code first-token-timeout}; streamed answers
 * @param gapTimeout key {@code gap-timeout}; streamed answers
 * @param maxCallTime key {@code max-call-time}; also cuts callers' longer deadlines
 * @param slowCallerStall key {@code slow-caller-stall}; nothing taken for that long ends the call
 */
public record CallConfig(
    Duration firstTokenTimeout,
    Duration gapTimeout,
    Duration maxCallTime,
    Duration slowCallerStall) {
  public CallConfig {
    new Check()
        .positive("first-token-timeout", firstTokenTimeout)
        .positive("gap-timeout", gapTimeout)
        .positive("max-call-time", maxCallTime)
        .positive("slow-caller-stall", slowCallerStall)
        .done();
  }
}
