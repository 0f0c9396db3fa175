package inferencegateway.bench;

/** Callers that ask again as soon as they are answered, until closed. */
interface Load extends AutoCloseable {

  /** Failures after which a caller gives up, so that a broken server is not hammered. */
  int MOST_FAILURES = 100;

  /** Begins; returns at once. Once. */
  void start(int callers, Ask ask);

  /** Cancels what runs; waits a moment for it. */
  @Override
  void close();
}
