package inferencegateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The whole suite ran under Netty's paranoid leak detector; it writes a line for each buffer that
 * was lost.
 */
class LeaksIT {

  private static final Path REPORTS = Path.of("target", "surefire-reports");

  @Test
  void noTestLostABuffer() throws IOException {
    try (Stream<Path> files = Files.list(REPORTS)) {
      List<Path> outputs = files.filter(file -> file.toString().endsWith("-output.txt")).toList();
      assertFalse(outputs.isEmpty(), "the unit tests come first");
      assertEquals(List.of(), outputs.stream().flatMap(LeaksIT::leaks).toList());
    }
  }

  private static Stream<String> leaks(Path output) {
    try (Stream<String> lines = Files.lines(output)) {
      return lines
          .filter(line -> line.contains("LEAK:"))
          .map(line -> output.getFileName() + ": " + line)
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
