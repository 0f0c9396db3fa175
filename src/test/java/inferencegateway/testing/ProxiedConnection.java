package inferencegateway.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The two sockets of one proxied connection and the two threads between them. */
final class ProxiedConnection {
  private static final int CHUNK = 16_384;
  private final Socket client;
  private final Socket server;
  private final Consumer<ProxiedConnection> onEnd;
  private final AtomicInteger directionsOpen = new AtomicInteger(2);

  ProxiedConnection(Socket client, Socket server, Consumer<ProxiedConnection> onEnd)
      throws IOException {
    this.client = client;
    this.server = server;
    this.onEnd = onEnd;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  void start(TcpFaults toServer, TcpFaults toClient) {
    daemon("tcp-proxy-up", () -> pump(client, server, toServer));
    daemon("tcp-proxy-down", () -> pump(server, client, toClient));
  }

  static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static void await(@Nullable Thread thread) {
    try {
      if (thread != null) {
        thread.join(2_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void pump(Socket from, Socket to, TcpFaults faults) {
    try {
      copy(from.getInputStream(), to.getOutputStream(), faults);
      to.shutdownOutput();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    } catch (IOException broken) {
      // One side reset or was closed: the other must not linger, and must see a reset too.
      reset();
    } finally {
      if (directionsOpen.decrementAndGet() == 0) {
        close();
      }
    }
  }

  private static void copy(InputStream in, OutputStream out, TcpFaults faults)
      throws IOException, InterruptedException {
    byte[] chunk = new byte[CHUNK];
    faults.awaitFlow();
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      faults.forward(Arrays.copyOf(chunk, n), out);
      faults.awaitFlow();
    }
    faults.awaitFlow();
  }

  void reset() {
    linger(client);
    linger(server);
    close();
  }

  void close() {
    closeQuietly(client);
    closeQuietly(server);
    onEnd.accept(this);
  }

  private static void linger(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException alreadyClosed) {
      // Nothing left to reset.
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException alreadyBroken) {
      // It is gone either way.
    }
  }
}
