package inferencegateway.simulator;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A vLLM without a model: the same HTTP, plausible text at a set pace, and faults on request.
 *
 * <p>May be stopped and started again, on the same port and with the counters going on; {@link
 * #close} ends its threads too. Thread-safe, but nothing here may be called from an event loop.
 */
public final class Simulator implements AutoCloseable {

  private final SimulatorConfig config;
  private final Engine engine;
  private final AtomicLong connections = new AtomicLong();
  private final Transport transport = Transport.best();

  // Guarded by this object's monitor.
  private @Nullable EventLoopGroup loops;
  private @Nullable Listener listener;
  private int port;
  private boolean wedged;

  public Simulator(SimulatorConfig config) {
    this.config = config;
    this.port = config.port();
    this.engine = new Engine(config, this::stopAfter);
  }

  /**
   * Listens; returns once connections are taken.
   *
   * @throws UncheckedIOException when an address cannot be had
   */
  public synchronized void start() {
    if (listener != null) {
      throw new IllegalStateException("already started");
    }
    EventLoopGroup group = loops == null ? transport.loops(config.loops()) : loops;
    loops = group;
    Listener fresh = new Listener(engine, group, connections);
    try {
      listen(fresh);
    } catch (IOException e) {
      fresh.stop();
      throw new UncheckedIOException(e.getMessage(), e);
    }
    listener = fresh;
  }

  private void listen(Listener fresh) throws IOException {
    InetSocketAddress address = new InetSocketAddress(config.host(), port);
    port = ((InetSocketAddress) fresh.listen(transport.tcp(), address, true)).getPort();
    String path = config.socketPath();
    if (path != null) {
      Files.deleteIfExists(Path.of(path));
      fresh.listen(transport.unix(), transport.unixAddress(path), false);
    }
  }

  /** The TCP port, known after the first start. */
  public synchronized int port() {
    return port;
  }

  /** Stops listening and drops every connection, as a killed server does. */
  public synchronized void stop() {
    Listener old = listener;
    listener = null;
    if (old != null) {
      old.stop();
      removeSocket();
    }
    notifyAll();
  }

  private void removeSocket() {
    String path = config.socketPath();
    if (path != null) {
      try {
        Files.deleteIfExists(Path.of(path));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Blocks while it is listening. */
  public synchronized void awaitStop() throws InterruptedException {
    while (listener != null) {
      wait();
    }
  }

  @Override
  public synchronized void close() {
    stop();
    if (loops != null) {
      Future<?> ended = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      if (!ended.awaitUninterruptibly(10, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the loops did not end within 10 s");
      }
      loops = null;
    }
  }

  /** Called on a loop, which stopping must not block. */
  private void stopAfter(Duration delay) {
    Thread stopper =
        new Thread(
            () -> {
              try {
                TimeUnit.NANOSECONDS.sleep(delay.toNanos());
                stop();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "simulator-exit");
    stopper.setDaemon(true);
    stopper.start();
  }

  public SimulatorCounters counters() {
    return engine.counters();
  }

  /** The last thousand requests of every kind, oldest first; empty when the journal is off. */
  public List<RecordedRequest> requests() {
    return engine.journal().snapshot();
  }

  /** Those of {@link #requests()} that are chat completions, so that probes do not disturb. */
  public List<RecordedRequest> chats() {
    return requests().stream().filter(r -> r.path().endsWith("/chat/completions")).toList();
  }

  /** Waits until no chat completion is open; false when that took too long. */
  public boolean awaitIdle(Duration limit) throws InterruptedException {
    return engine.journal().awaitIdle(limit);
  }

  /**
   * Waits until that many chat completions, since the beginning, have arrived and have a slot, a
   * place in the queue, or their answer; false when that took too long.
   */
  public boolean awaitRequests(int count, Duration limit) throws InterruptedException {
    return engine.journal().awaitChats(count, limit);
  }

  /** What {@code /health} says: 200 or 503. */
  public void setHealthy(boolean healthy) {
    engine.healthy(healthy);
  }

  /**
   * Whether the engine stands still: requests are taken, {@code /health} is as before, no tokens.
   */
  public synchronized void wedge(boolean on) {
    if (on != wedged) {
      wedged = on;
      if (on) {
        engine.wedge();
      } else {
        engine.unwedge();
      }
    }
  }

  /**
   * The fault of every chat request from now on; null: none.
   *
   * @throws IllegalArgumentException for a spec that cannot be read
   */
  public void setFault(@Nullable String spec) {
    engine.fault(spec == null ? FaultSpec.NONE : FaultSpec.parse(spec));
  }

  /** While paused, connections wait in the backlog: the system connects them, nobody answers. */
  public synchronized void pauseAccepting(boolean paused) {
    if (listener != null) {
      listener.accepting(!paused);
    }
  }
}
