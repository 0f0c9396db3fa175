package inferencegateway.api;

import inferencegateway.chat.FieldViolation;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with a request, so that a caller learns all of it at once. */
final class Violations {

  /** More would not fit into a status anyway. */
  private static final int MAX = 20;

  private final List<FieldViolation> found = new ArrayList<>();

  void unless(boolean fine, String field, String description) {
    if (!fine) {
      add(field, description);
    }
  }

  void add(String field, String description) {
    if (found.size() < MAX) {
      found.add(new FieldViolation(field, description));
    }
  }

  /** Both ends included; NaN is outside of everything. */
  void within(double value, double min, double max, String field) {
    unless(value >= min && value <= max, field, "must be " + plain(min) + " to " + plain(max));
  }

  /** {@code min} excluded, {@code max} included; NaN is outside of everything. */
  void above(double value, double min, double max, String field) {
    unless(
        value > min && value <= max,
        field,
        "must be above " + plain(min) + " and at most " + plain(max));
  }

  private static String plain(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  List<FieldViolation> found() {
    return found;
  }
}
