package inferencegateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A loopback proxy that forwards bytes and, when told, does what networks do. Two threads per
 * connection; every setting acts on open and later connections alike.
 */
public final class TcpProxy implements AutoCloseable {
  private final InetSocketAddress target;
  private final TcpFaults toServer = new TcpFaults();
  private final TcpFaults toClient = new TcpFaults();
  private final AtomicInteger accepted = new AtomicInteger();
  private final List<ProxiedConnection> open = new CopyOnWriteArrayList<>();
  private final int port;
  private @Nullable ServerSocket listener;
  private @Nullable Thread acceptor;

  private TcpProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.port = listen(0);
  }

  /** A proxy on a free port in front of {@code targetPort}, both on loopback. */
  public static TcpProxy before(int targetPort) {
    try {
      return new TcpProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return port;
  }

  /** Faults on the way from the client to the server. */
  public TcpFaults toServer() {
    return toServer;
  }

  /** Faults on the way from the server to the client. */
  public TcpFaults toClient() {
    return toClient;
  }

  /** Connections accepted since the start. */
  public int accepted() {
    return accepted.get();
  }

  /** Connections of which at least one direction is still open. */
  public int openConnections() {
    return open.size();
  }

  /** Half-open: nothing is read or sent on any connection, in either direction, and none closes. */
  public void freeze() {
    toServer.pause();
    toClient.pause();
  }

  public void thaw() {
    toServer.resume();
    toClient.resume();
  }

  /** New connections are refused by the kernel; open ones go on. */
  public synchronized void refuse() {
    ServerSocket socket = listener;
    listener = null;
    if (socket != null) {
      close(socket);
      // The kernel goes on accepting until the thread in accept() has let go of the socket.
      ProxiedConnection.await(acceptor);
    }
  }

  /** Takes connections again, on the same port. */
  public synchronized void accept() {
    if (listener == null) {
      try {
        listen(port);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Resets (RST) both sides of all open connections. */
  public void resetAll() {
    open.forEach(ProxiedConnection::reset);
  }

  /** Closes (FIN) both sides of all open connections. */
  public void closeAll() {
    open.forEach(ProxiedConnection::close);
  }

  @Override
  public void close() {
    refuse();
    closeAll();
    thaw();
  }

  private synchronized int listen(int wanted) throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted), 1_024);
    listener = socket;
    acceptor = ProxiedConnection.daemon("tcp-proxy-accept", () -> acceptAll(socket));
    return socket.getLocalPort();
  }

  private void acceptAll(ServerSocket socket) {
    try {
      while (true) {
        Socket client = socket.accept();
        accepted.incrementAndGet();
        join(client);
      }
    } catch (IOException refusedOrClosed) {
      // The listener was closed on purpose.
    }
  }

  private void join(Socket client) throws IOException {
    try {
      Socket server = new Socket(target.getAddress(), target.getPort());
      ProxiedConnection connection = new ProxiedConnection(client, server, open::remove);
      open.add(connection);
      connection.start(toServer, toClient);
    } catch (IOException targetDown) {
      client.setSoLinger(true, 0);
      client.close();
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
