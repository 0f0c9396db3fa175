package inferencegateway.load;

/** An average in which old figures count less and less: half as much after two seconds. */
final class Mean {

  private static final double MEMORY_NANOS = 3e9;

  private double value;

  /**
   * @param nanos how long it has been so
   */
  void add(double figure, long nanos) {
    value += (figure - value) * -Math.expm1(-nanos / MEMORY_NANOS);
  }

  double value() {
    return value;
  }
}
