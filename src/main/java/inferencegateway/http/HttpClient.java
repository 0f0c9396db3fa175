package inferencegateway.http;

import inferencegateway.config.BackendUrl;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 to one backend. An exchange runs entirely on the loop it is started on, over a
 * connection of that loop.
 *
 * <p>A connection that has been idle is never older than the idle limit. The one thing that is ever
 * sent twice is a request that left on a used connection which ended before a byte came back; it is
 * sent once more, on a fresh one.
 */
public final class HttpClient implements AutoCloseable {
  private static final int CLOSE_MILLIS = 1_000;

  private final Loops loops;
  private final BackendUrl backend;
  private final Duration connectTimeout;
  private final Duration idle;
  private final BackendLink.Names names;
  private final UpstreamTls tls;
  private final String host;
  private final Counters counters = new Counters();
  private @Nullable BackendLink link;
  private List<Lane> lanes = List.of();

  /**
   * @param loops started before this is
   * @param tls of that backend
   * @param connectTimeout name look-up, all addresses and the TLS handshake together
   * @param idle how long an unused connection may still be used again
   */
  public HttpClient(
      Loops loops, BackendUrl backend, UpstreamTls tls, Duration connectTimeout, Duration idle) {
    this(loops, backend, tls, connectTimeout, idle, InetAddress::getAllByName);
  }

  /**
   * @param only the one address of the backend's name to use; null: any
   */
  public HttpClient(
      Loops loops,
      BackendUrl backend,
      UpstreamTls tls,
      Duration connectTimeout,
      Duration idle,
      @Nullable InetAddress only) {
    this(
        loops,
        backend,
        tls,
        connectTimeout,
        idle,
        only == null ? InetAddress::getAllByName : new BackendLink.OneAddress(only));
  }

  HttpClient(
      Loops loops,
      BackendUrl backend,
      UpstreamTls tls,
      Duration connectTimeout,
      Duration idle,
      BackendLink.Names names) {
    this.loops = loops;
    this.backend = backend;
    this.connectTimeout = connectTimeout;
    this.idle = idle;
    this.names = names;
    this.tls = tls;
    this.host = RequestBytes.hostHeader(backend);
  }

  /** Makes ready; connects to nothing. Once, before the first {@link #send}. */
  public void start() {
    BackendLink made = new BackendLink(loops, backend, names, tls);
    link = made;
    lanes =
        loops.members().stream()
            .map(loop -> new Lane(loop, made, connectTimeout, idle, counters))
            .toList();
  }

  /**
   * Sends a request. The handler is called on {@code loop}, never before this has returned there.
   *
   * @param loop one of the loops that this client was made with
   * @throws IllegalArgumentException when a header, the path or the method may not be sent
   */
  public Exchange send(CallLoop loop, HttpRequest request, ResponseHandler handler) {
    RequestBytes bytes = RequestBytes.of(request, host);
    ClientExchange exchange = new ClientExchange(lane(loop), bytes, handler);
    loop.execute(exchange);
    return exchange;
  }

  private Lane lane(CallLoop loop) {
    if (loop instanceof LoopThread thread && thread.belongsTo(loops) && !lanes.isEmpty()) {
      return lanes.get(thread.index());
    }
    throw new IllegalArgumentException("not a loop of this client, or not started");
  }

  /** Since the start; not quite one moment while loops run. */
  public ConnectionCounts counts() {
    return counters.snapshot();
  }

  /**
   * Closes idle connections and takes no more requests; those under way go on. Waits a moment,
   * unless called on a loop.
   */
  @Override
  public void close() {
    CountDownLatch done = new CountDownLatch(lanes.size());
    boolean onLoop = false;
    for (Lane lane : lanes) {
      onLoop |= lane.loop().isCurrent();
      try {
        lane.loop().execute(() -> close(lane, done));
      } catch (RejectedExecutionException stopped) {
        done.countDown(); // A stopped loop has closed its connections.
      }
    }
    if (!onLoop) {
      await(done);
    }
    if (link != null) {
      link.close();
      link = null;
    }
  }

  private static void close(Lane lane, CountDownLatch done) {
    lane.close();
    done.countDown();
  }

  private static void await(CountDownLatch done) {
    try {
      if (!done.await(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
        return; // A loop is stuck; its connections end with it.
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
