package inferencegateway.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration cannot be used. Holds everything that is wrong with it. */
public final class ConfigException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient List<Problem> problems;

  public ConfigException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** At least one, in the order in which they were found. */
  public List<Problem> problems() {
    return problems;
  }
}
