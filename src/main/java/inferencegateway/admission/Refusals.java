package inferencegateway.admission;

import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** What callers are told that are not let in. */
final class Refusals {

  private static final int HASH_BYTES = 6;
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private Refusals() {}

  static Failure full() {
    return Failure.of(
        Reason.CONCURRENCY_LIMIT, "the backend is busy and its queue is full; call again later");
  }

  static Failure longWait(long nanos) {
    return Failure.of(
            Reason.CONCURRENCY_LIMIT, "the backend is busy, waiting would take long; call again")
        .withFacts(Map.of("est_wait_ms", millis(nanos)));
  }

  static Failure retry() {
    return Failure.of(
        Reason.CONCURRENCY_LIMIT, "the backend is busy, first attempts go first; call again later");
  }

  static Failure ownLimit() {
    return Failure.of(
        Reason.CONCURRENCY_LIMIT,
        "as many calls of this caller run and wait as may; call again when one is over");
  }

  static Failure displaced() {
    return Failure.of(
        Reason.CONCURRENCY_LIMIT,
        "the queue is full and this caller holds the largest part of it; call again later");
  }

  static Failure memory() {
    return Failure.of(
        Reason.MEMORY_PRESSURE, "the gateway is short of memory; call again in a moment");
  }

  /**
   * @param queue nanoseconds until there is a place
   * @param firstToken nanoseconds from there to the first token, at least
   */
  static Failure deadline(long queue, long firstToken) {
    return Failure.of(
            Reason.DEADLINE_UNREACHABLE,
            "no first token could be there before the deadline; allow more time or call again")
        .withFacts(Map.of("est_wait_ms", millis(queue + firstToken)))
        .withRetryAfter(queue > 0 ? pause(queue) : null);
  }

  /**
   * @param unit requests or tokens
   */
  static Failure quota(String caller, String unit, int perMinute, long untilNanos) {
    return Failure.of(
            Reason.QUOTA,
            "this caller may use " + perMinute + " " + unit + " a minute and has; call again later")
        .withFacts(Map.of("caller", subject(caller), "limit", perMinute + " " + unit + "/min"))
        .withRetryAfter(Duration.ofNanos(Math.max(1_000_000, untilNanos + untilNanos / 50)));
  }

  /** Enough to recognise a caller by for who knows its name, and nobody else. */
  static String subject(String caller) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(caller.getBytes(StandardCharsets.UTF_8));
      return "caller:" + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static String millis(long nanos) {
    return Long.toString(TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /** Within bounds, and not the same for all. */
  private static Duration pause(long nanos) {
    Duration about =
        Duration.ofNanos((long) (nanos * ThreadLocalRandom.current().nextDouble(0.75, 1.25)));
    return about.compareTo(SHORTEST) < 0
        ? SHORTEST
        : about.compareTo(LONGEST) > 0 ? LONGEST : about;
  }
}
