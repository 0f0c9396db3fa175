package inferencegateway.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A listening socket whose queue is full, so that the kernel leaves new connections waiting. */
public final class FullBacklog implements AutoCloseable {
  private final ServerSocket server;
  private final List<Socket> fillers = new ArrayList<>();

  private FullBacklog() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
  }

  /** Skips the test where the kernel always accepts. */
  public static FullBacklog openOrSkip() throws IOException {
    FullBacklog full = new FullBacklog();
    boolean stalls = full.fill();
    if (!stalls) {
      full.close();
    }
    Assumptions.assumeTrue(stalls, "this kernel leaves no connection waiting");
    return full;
  }

  private boolean fill() throws IOException {
    for (int i = 0; i < 16; i++) {
      Socket socket = new Socket();
      fillers.add(socket);
      try {
        socket.connect(new InetSocketAddress("127.0.0.1", port()), 200);
      } catch (SocketTimeoutException waiting) {
        return true;
      }
    }
    return false;
  }

  public int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : fillers) {
      socket.close();
    }
    server.close();
  }
}
