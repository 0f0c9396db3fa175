package inferencegateway.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The loads there are. The name on the command line is the constant's in lower case with dashes.
 */
enum Scenario {
  STREAM_1(Kind.STREAMED, 1, Duration.ZERO, 512, "1 stream, tokens as fast as they are taken"),
  STREAM_64(Kind.STREAMED, 64, Duration.ZERO, 512, "64 streams, the same"),
  PACED_200(Kind.STREAMED, 200, Duration.ofMillis(20), 1_500, "200 streams, a token every 20 ms"),
  PACED_1000(Kind.STREAMED, 1_000, Duration.ofMillis(20), 1_500, "1,000 streams, the same"),
  UNARY_32(Kind.WHOLE, 32, Duration.ZERO, 128, "32 whole answers of 128 tokens at once"),
  MEMORY_2000(
      Kind.MEMORY, 2_000, Duration.ofMillis(200), 1_500, "memory of 2,000 streams, against 100"),
  OVERLOAD(
      Kind.OVERLOAD, 8, Duration.ofMillis(40), 20, "5 times what 8 slots can do; alone, 4 minutes"),
  TELEMETRY(
      Kind.TELEMETRY, 200, Duration.ofMillis(20), 256, "what metrics, log and traces cost; alone"),
  SMALLEST(Kind.STREAMED, 4, Duration.ofMillis(10), 200, "4 streams; shows that all of it works");

  enum Kind {
    STREAMED,
    WHOLE,
    MEMORY,
    OVERLOAD,
    TELEMETRY
  }

  private final Kind kind;
  private final int streams;
  private final Duration pace;
  private final int tokens;
  private final String help;

  Scenario(Kind kind, int streams, Duration pace, int tokens, String help) {
    this.kind = kind;
    this.streams = streams;
    this.pace = pace;
    this.tokens = tokens;
    this.help = help;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Kind kind() {
    return kind;
  }

  int streams() {
    return streams;
  }

  Ask ask() {
    return new Ask(kind != Kind.WHOLE, tokens, pace);
  }

  /** Whether it runs with no other. */
  boolean isAlone() {
    return kind == Kind.OVERLOAD || kind == Kind.TELEMETRY;
  }

  String help() {
    return help;
  }

  /** What runs when none is named. */
  static List<Scenario> usual() {
    return Arrays.stream(values()).filter(s -> s != SMALLEST && !s.isAlone()).toList();
  }

  /**
   * @throws IllegalArgumentException names all there are
   */
  static Scenario of(String word) {
    return Arrays.stream(values())
        .filter(s -> s.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no scenario '" + word + "'; " + words()));
  }

  private static String words() {
    return Arrays.stream(values())
        .map(Scenario::word)
        .collect(Collectors.joining(", ", "there are ", ""));
  }
}
