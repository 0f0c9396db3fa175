package inferencegateway.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the program that runs here is started once more. */
final class OwnJava {

  private static final String MAIN = "inferencegateway.Main";

  private OwnJava() {}

  static List<String> command(List<String> jvmFlags, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmFlags);
    String classPath = System.getProperty("java.class.path");
    if (classPath.endsWith(".jar") && Files.isRegularFile(Path.of(classPath))) {
      command.addAll(List.of("-jar", classPath));
    } else {
      command.addAll(List.of("-cp", classPath, MAIN));
    }
    command.addAll(arguments);
    return command;
  }
}
