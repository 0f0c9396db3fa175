package inferencegateway.telemetry;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.LongAdder;

/**
 * Standard error, one line a write. What cannot be written (a full disk, a reader that has died) is
 * counted and gone, and the next line is tried again: {@code System.err} would say nothing of it,
 * and logback would never write again.
 *
 * <p>Written by one thread, asked by any.
 */
final class ErrorOutput extends OutputStream {

  private final OutputStream to;
  private final LongAdder lost = new LongAdder();
  private volatile boolean failing;

  ErrorOutput(OutputStream to) {
    this.to = to;
  }

  /** That of the process, past all that is put before it. */
  static ErrorOutput ofProcess() {
    return new ErrorOutput(new FileOutputStream(FileDescriptor.err));
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] line, int from, int length) {
    try {
      to.write(line, from, length);
      failing = false;
    } catch (IOException e) {
      failing = true;
      lost.increment();
    }
  }

  /** Lines that could not be written. */
  long lost() {
    return lost.sum();
  }

  /** Whether the last line was one of them. */
  boolean isFailing() {
    return failing;
  }

  /** Standard error is not ours to close. */
  @Override
  public void close() {}
}
