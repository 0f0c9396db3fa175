package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelConfig;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.socket.SocketChannel;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What one client keeps on one loop: its idle connections, newest used first. Only on that loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners return the future they were added to.
final class Lane {
  /** Per loop; the longest idle makes room. Admission bounds what can be busy at once. */
  private static final int MAX_IDLE = 256;

  private final LoopThread loop;
  private final BackendLink link;
  private final Duration connectTimeout;
  private final long idleNanos;
  private final Counters counters;

  /** Oldest first. */
  private final ArrayDeque<Connection> idle = new ArrayDeque<>();

  private CallLoop.@Nullable Timer eviction;
  private boolean closed;

  Lane(
      LoopThread loop,
      BackendLink link,
      Duration connectTimeout,
      Duration idleLimit,
      Counters counters) {
    this.loop = loop;
    this.link = link;
    this.connectTimeout = connectTimeout;
    this.idleNanos = idleLimit.toNanos();
    this.counters = counters;
  }

  LoopThread loop() {
    return loop;
  }

  Counters counters() {
    return counters;
  }

  AddressBook addresses() {
    return link.addresses();
  }

  /** For people. */
  String target() {
    return link.target();
  }

  Duration connectTimeout() {
    return connectTimeout;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * A connection that is not yet one.
   *
   * @throws RuntimeException Netty's, when the system gives no socket
   */
  Connection newConnection(SocketAddress address) {
    Channel channel = link.newChannel();
    ChannelConfig config = channel.config();
    // The dial has its own timer; the channel's would only add a second one.
    config.setConnectTimeoutMillis(0);
    // A failed write must not throw away an answer that has already come (an early 413).
    config.setAutoClose(false);
    if (channel instanceof SocketChannel) {
      config.setOption(ChannelOption.TCP_NODELAY, true);
      config.setOption(ChannelOption.SO_KEEPALIVE, true);
    }
    counters.opened.increment();
    channel.closeFuture().addListener(counters.countClosed);
    Object edition = link.tls().edition();
    return new Connection(
        this, new Wire(channel, address, link.tls().newHandler(channel.alloc()), edition));
  }

  /** The connection used last, if one is fit. */
  @Nullable Connection take() {
    long now = System.nanoTime();
    Connection newest;
    while ((newest = idle.pollLast()) != null) {
      if (isFit(newest, now)) {
        return newest;
      }
      newest.close();
    }
    return null;
  }

  private boolean isFit(Connection candidate, long now) {
    return now - candidate.idleSince() < idleNanos
        && candidate.isActive()
        && candidate.tlsEdition() == link.tls().edition()
        && link.addresses().contains(candidate.address());
  }

  void giveBack(Connection connection) {
    if (closed) {
      connection.close();
      return;
    }
    if (idle.size() >= MAX_IDLE) {
      idle.removeFirst().close();
    }
    connection.becomeIdle(System.nanoTime());
    idle.addLast(connection);
    if (eviction == null) {
      eviction = loop.schedule(Duration.ofNanos(idleNanos), this::evict);
    }
  }

  /** It has closed by itself. */
  void forget(Connection connection) {
    idle.remove(connection);
  }

  /** What has been idle for longer than a connection found dead is most likely dead as well. */
  void dropIdleUpTo(Connection dead) {
    Connection oldest;
    while ((oldest = idle.peekFirst()) != null && oldest.idleSince() - dead.idleSince() <= 0) {
      idle.removeFirst().close();
    }
  }

  private void evict() {
    eviction = null;
    long now = System.nanoTime();
    Connection oldest;
    while ((oldest = idle.peekFirst()) != null) {
      long left = idleNanos - (now - oldest.idleSince());
      if (left > 0) {
        eviction = loop.schedule(Duration.ofNanos(left), this::evict);
        return;
      }
      idle.removeFirst().close();
    }
  }

  void close() {
    closed = true;
    if (eviction != null) {
      eviction.cancel();
      eviction = null;
    }
    Connection connection;
    while ((connection = idle.pollFirst()) != null) {
      connection.close();
    }
  }
}
