package inferencegateway.cli;

import io.grpc.Status;

/** What the process tells its parent. Each command's help lists its own. */
final class ExitCode {

  static final int OK = 0;

  /** It could not be done: a port taken, a gateway not serving, a fault of our own. */
  static final int FAILED = 1;

  /** It was asked for wrongly: command line or configuration. */
  static final int USAGE = 2;

  /** Added to the number of a gRPC status code, so that the codes stay clear of those above. */
  static final int STATUS = 10;

  /** As shells say it: ended by SIGINT. */
  static final int INTERRUPTED = 130;

  private ExitCode() {}

  static int of(Status status) {
    return status.isOk() ? OK : STATUS + status.getCode().value();
  }
}
