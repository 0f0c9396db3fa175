package inferencegateway.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration record was asked to hold what it must not. */
final class InvalidRecord extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private final transient List<Fault> faults;

  InvalidRecord(List<Fault> faults) {
    super(faults.stream().map(Fault::toString).collect(Collectors.joining("; ")));
    this.faults = List.copyOf(faults);
  }

  List<Fault> faults() {
    return faults;
  }

  record Fault(String key, String text) {

    @Override
    public String toString() {
      return key + " " + text;
    }
  }
}
