package inferencegateway.admission;

import inferencegateway.auth.CallerLimits;
import inferencegateway.chat.Failure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one caller has now and may have. Guarded by the gate's lock. */
final class Holder {

  final String name;

  /** Where it has calls that run or wait. */
  final List<Line> lines = new ArrayList<>(1);

  private CallerLimits limits = CallerLimits.NONE;
  private @Nullable Rate requests;
  private @Nullable Rate tokens;
  private int running;

  Holder(String name) {
    this.name = name;
  }

  /** Takes over the limits in force now. */
  void follow(CallerLimits now, long at) {
    limits = now;
    requests = follow(requests, now.requestsPerMinute(), at);
    tokens = follow(tokens, now.tokensPerMinute(), at);
  }

  private static @Nullable Rate follow(@Nullable Rate rate, int perMinute, long now) {
    if (perMinute == CallerLimits.NO_LIMIT) {
      return null;
    }
    if (rate == null) {
      return new Rate(perMinute, now);
    }
    rate.follow(perMinute, now);
    return rate;
  }

  int priority() {
    return limits.priority();
  }

  boolean isAtLimit() {
    return running >= limits.concurrency();
  }

  boolean hasLimit() {
    return limits.concurrency() != CallerLimits.NO_LIMIT;
  }

  /** Whether none of its calls may wait any more. */
  boolean mayNotWait() {
    int most = limits.waiting();
    return most != CallerLimits.NO_LIMIT
        && lines.stream().mapToInt(line -> line.waiting.size()).sum() >= most;
  }

  /** Null when the caller may ask once more. */
  @Nullable Failure overQuota(long now) {
    long untilRequest = requests == null ? 0 : requests.untilOne(now);
    long untilTokens = tokens == null ? 0 : tokens.untilOne(now);
    if (untilRequest == 0 && untilTokens == 0) {
      return null;
    }
    return untilRequest >= untilTokens
        ? Refusals.quota(name, "requests", limits.requestsPerMinute(), untilRequest)
        : Refusals.quota(name, "tokens", limits.tokensPerMinute(), untilTokens);
  }

  /** One call more that runs or waits. */
  void countRequest() {
    if (requests != null) {
      requests.take(1);
    }
  }

  void charge(long count) {
    if (tokens != null) {
      tokens.take((double) count);
    }
  }

  void began() {
    running++;
  }

  void ended() {
    running--;
  }

  /** Nothing would be lost by forgetting it. */
  boolean isIdle(long now) {
    return lines.isEmpty()
        && (requests == null || requests.isFull(now))
        && (tokens == null || tokens.isFull(now));
  }
}
