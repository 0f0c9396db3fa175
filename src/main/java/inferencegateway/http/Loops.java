package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.ServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.SocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocal;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The event loops: a fixed number of daemon threads that carry every call, and one that accepts.
 *
 * <p>Epoll where its library loads, NIO elsewhere; the channel types here fit whichever it is.
 * Everything but {@link #current} may be called from any thread after {@link #start}.
 */
public final class Loops implements AutoCloseable {
  private static final FastThreadLocal<@Nullable LoopThread> CURRENT = new FastThreadLocal<>();
  private static final int STOP_SECONDS = 2;

  private final String name;
  private final int threads;
  private final boolean epoll;
  private final AtomicInteger turn = new AtomicInteger();
  private final List<LoopThread> members = new ArrayList<>();
  private @Nullable EventLoopGroup group;
  private @Nullable EventLoopGroup bossGroup;

  /**
   * @param name begins the threads' names
   * @param threads at least 1; the accepting one comes on top
   */
  public Loops(String name, int threads) {
    this(name, threads, Epoll.isAvailable());
  }

  Loops(String name, int threads, boolean epoll) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, was " + threads);
    }
    this.name = name;
    this.threads = threads;
    this.epoll = epoll;
  }

  /** Starts the threads. Once. */
  public void start() {
    EventLoopGroup workers = newGroup(name, threads);
    group = workers;
    bossGroup = newGroup(name + "-accept", 1);
    for (EventExecutor executor : workers) {
      LoopThread member = new LoopThread(this, members.size(), (EventLoop) executor);
      members.add(member);
      // Each loop's first task, so that everything that follows on it finds its adapter.
      executor.execute(() -> CURRENT.set(member));
    }
  }

  private EventLoopGroup newGroup(String threadName, int size) {
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(size, new DefaultThreadFactory(threadName, true), io);
  }

  /** The loops that carry connections. */
  public EventLoopGroup group() {
    return started(group);
  }

  /** The loop that accepts connections. */
  public EventLoopGroup bossGroup() {
    return started(bossGroup);
  }

  /**
   * The loop of the calling thread.
   *
   * @throws IllegalStateException when the thread is not one of these loops
   */
  public CallLoop current() {
    LoopThread loop = CURRENT.get();
    if (loop == null || !loop.belongsTo(this)) {
      throw new IllegalStateException("not on an event loop of " + name);
    }
    return loop;
  }

  /** Any of the loops, in turn; for work that no connection has placed. */
  public CallLoop next() {
    started(group);
    return members.get(Math.floorMod(turn.getAndIncrement(), members.size()));
  }

  public Class<? extends ServerSocketChannel> serverChannelType() {
    return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  public Class<? extends SocketChannel> clientChannelType() {
    return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  public Class<? extends Channel> domainChannelType() {
    return epoll ? EpollDomainSocketChannel.class : NioDomainSocketChannel.class;
  }

  /** Whether the kernel's epoll is used; for the start log. */
  public boolean usesEpoll() {
    return epoll;
  }

  /** All loops, by index. */
  List<LoopThread> members() {
    started(group);
    return members;
  }

  Channel newSocket() {
    return epoll ? new EpollSocketChannel() : new NioSocketChannel();
  }

  Channel newDomainSocket() {
    return epoll ? new EpollDomainSocketChannel() : new NioDomainSocketChannel();
  }

  SocketAddress domainAddress(String path) {
    return epoll ? new DomainSocketAddress(path) : UnixDomainSocketAddress.of(path);
  }

  /**
   * Closes every connection that is left and stops the threads; waits at most a few seconds, and
   * not at all when called on one of the loops.
   */
  @Override
  public void close() {
    if (group == null || bossGroup == null) {
      return;
    }
    List<Future<?>> ends =
        List.of(
            bossGroup.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS),
            group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS));
    if (CURRENT.get() == null) {
      ends.forEach(end -> end.awaitUninterruptibly(STOP_SECONDS + 1L, TimeUnit.SECONDS));
    }
  }

  private static <T> T started(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("not started");
    }
    return part;
  }
}
