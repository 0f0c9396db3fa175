package inferencegateway.cli;

/** Standard output is closed, as by {@code generate ... | head}: nobody waits for the rest. */
final class NobodyReads extends RuntimeException {

  private static final long serialVersionUID = 1;
}
