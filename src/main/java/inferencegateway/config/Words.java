package inferencegateway.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A setting that takes one of a few words: the names of an enum, in lower case. */
final class Words {

  private Words() {}

  static <E extends Enum<E>> List<String> of(Class<E> type) {
    return Arrays.stream(type.getEnumConstants()).map(Words::word).toList();
  }

  static <E extends Enum<E>> E parse(Class<E> type, String text) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> constant.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("must be one of " + String.join(", ", of(type))));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
