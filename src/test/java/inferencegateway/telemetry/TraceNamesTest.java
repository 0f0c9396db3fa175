package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.opentelemetry.api.common.AttributeKey;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TraceNamesTest {

  private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);

  @Test
  void theDocsListEveryName() throws IOException {
    String page = Files.readString(Path.of("docs/tracing.md"));
    Matcher row =
        ROW.matcher(
            page.substring(
                page.indexOf("<!-- names:begin -->"), page.indexOf("<!-- names:end -->")));
    List<String> told = new ArrayList<>();
    while (row.find()) {
      told.add(row.group(1));
    }
    assertEquals(
        Stream.concat(
                TraceNames.ATTRIBUTES.stream().map(AttributeKey::getKey).sorted(),
                TraceNames.EVENTS.stream().sorted())
            .toList(),
        Stream.concat(
                told.stream().filter(name -> name.contains(".")).sorted(),
                told.stream().filter(name -> !name.contains(".")).sorted())
            .toList());
  }

  @Test
  void noNameIsLeftOutOfTheList() {
    Set<Object> declared =
        Arrays.stream(TraceNames.class.getDeclaredFields())
            .filter(field -> Modifier.isStatic(field.getModifiers()))
            .map(TraceNamesTest::value)
            .filter(value -> value instanceof AttributeKey<?>)
            .collect(Collectors.toSet());
    assertEquals(Set.copyOf(TraceNames.ATTRIBUTES), declared);
  }

  private static Object value(java.lang.reflect.Field field) {
    try {
      return field.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
