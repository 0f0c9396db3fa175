package inferencegateway.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** A loopback socket for bytes that are no HTTP/2. One thread. */
public final class RawTcp implements AutoCloseable {
  private final Socket socket;

  private RawTcp(Socket socket) {
    this.socket = socket;
  }

  public static RawTcp connect(int port) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      return new RawTcp(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RawTcp send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All bytes until the peer closes or resets; fails when it is silent for {@code limit}. */
  public byte[] readUntilClosed(Duration limit) {
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    try {
      socket.setSoTimeout((int) limit.toMillis());
      for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
        received.write(b);
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("still open after " + limit, e);
    } catch (IOException reset) {
      // A reset is an end too.
    }
    return received.toByteArray();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
