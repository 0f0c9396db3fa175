package inferencegateway.simulator;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which faults one answer has: {@code name} or {@code name=value}, several separated by semicolons,
 * as {@code drop-after=3;split=1}. Immutable.
 */
public final class FaultSpec {

  public static final FaultSpec NONE = new FaultSpec(new EnumMap<>(Fault.class));

  private static final Map<String, Fault> BY_WORD =
      Arrays.stream(Fault.values()).collect(Collectors.toUnmodifiableMap(Fault::word, f -> f));

  private final EnumMap<Fault, String> faults;

  private FaultSpec(EnumMap<Fault, String> faults) {
    this.faults = faults;
  }

  /**
   * Reads a spec; a blank one is {@link #NONE}.
   *
   * @throws IllegalArgumentException with words for people, naming every fault there is when one is
   *     unknown
   */
  public static FaultSpec parse(String text) {
    return NONE.and(text);
  }

  /** These faults and those of the text; the text wins where both name one. */
  FaultSpec and(String text) {
    EnumMap<Fault, String> all = new EnumMap<>(faults);
    for (String part : text.split(";", -1)) {
      if (!part.isBlank()) {
        add(all, part.strip());
      }
    }
    return all.isEmpty() ? NONE : new FaultSpec(all);
  }

  private static void add(EnumMap<Fault, String> all, String part) {
    int equals = part.indexOf('=');
    String word = (equals < 0 ? part : part.substring(0, equals)).strip().toLowerCase(Locale.ROOT);
    Fault fault = BY_WORD.get(word);
    if (fault == null) {
      throw new IllegalArgumentException("unknown fault '" + word + "'; there are: " + words());
    }
    String value = fault.accept(equals < 0 ? null : part.substring(equals + 1).strip());
    if (fault == Fault.NONE) {
      all.clear();
    } else {
      all.put(fault, value);
    }
  }

  private static String words() {
    return Arrays.stream(Fault.values()).map(Fault::word).collect(Collectors.joining(", "));
  }

  boolean isEmpty() {
    return faults.isEmpty();
  }

  boolean has(Fault fault) {
    return faults.containsKey(fault);
  }

  @Nullable String text(Fault fault) {
    return faults.get(fault);
  }

  String text(Fault fault, String otherwise) {
    return faults.getOrDefault(fault, otherwise);
  }

  int number(Fault fault, int otherwise) {
    String value = faults.get(fault);
    return value == null ? otherwise : Integer.parseInt(value);
  }

  @Nullable Duration duration(Fault fault) {
    String value = faults.get(fault);
    return value == null ? null : HumanDuration.parse(value);
  }

  @Override
  public String toString() {
    return faults.entrySet().stream()
        .map(
            e ->
                e.getValue().isEmpty() ? e.getKey().word() : e.getKey().word() + "=" + e.getValue())
        .collect(Collectors.joining(";"));
  }
}
