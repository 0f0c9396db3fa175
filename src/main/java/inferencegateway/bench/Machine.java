package inferencegateway.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where it was measured, in one line: a figure without it says little. */
record Machine(int cores, String processor, String java, String system) {

  static Machine here() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        model(),
        Runtime.version() + " (" + System.getProperty("java.vm.name") + ")",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
  }

  private static String model() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.replaceFirst("[^:]*:\\s*", ""))
          .findFirst()
          .orElse("");
    } catch (IOException elsewhere) {
      return "";
    }
  }

  @Override
  public String toString() {
    String named = processor.isEmpty() ? "" : " (" + processor + ")";
    return cores + " cores" + named + ", Java " + java + ", " + system;
  }
}
