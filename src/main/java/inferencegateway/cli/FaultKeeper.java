package inferencegateway.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Keeps why it could not be written: the writers above it only tell that it could not. */
final class FaultKeeper extends FilterOutputStream {

  private volatile @Nullable String fault;

  FaultKeeper(OutputStream out) {
    super(out);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      if (fault == null) {
        fault = String.valueOf(e.getMessage());
      }
      throw e;
    }
  }

  /**
   * Null: all that was written so far has got out, or a reader has left, which is its own affair.
   */
  @Nullable String fault() {
    String now = fault;
    return now == null || now.contains("Broken pipe") ? null : now;
  }
}
