package inferencegateway.bench;

/**
 * What one server did between two marks.
 *
 * @param perSecond tokens, or whole answers
 * @param micros of processor time for each of them
 * @param compilerMicros what of {@code micros} went to Java's compiler
 * @param cores of processor time a second
 * @param delayP50 milliseconds from the simulator's write to the caller's read of a token; of whole
 *     answers 0
 * @param failures calls that did not end well
 */
record Figure(
    double perSecond,
    double micros,
    double compilerMicros,
    double cores,
    double delayP50,
    double delayP99,
    long failures) {

  /** What each token cost, without what Java does once for each piece of code. */
  double microsOfWork() {
    return micros - compilerMicros;
  }
}
