package inferencegateway.server;

import inferencegateway.config.TelemetryConfig;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where Prometheus reads: HTTP/1 on a port and a thread of its own, {@code GET} and {@code HEAD} of
 * {@code /metrics} and nothing else.
 *
 * <p>Whoever connects and says nothing holds a place until somebody else needs it, readers wait in
 * one line, and one look at the metrics serves all who wait ({@link ReadingLine}): a crowd makes
 * the page slower, not unreadable.
 */
public final class MetricsPort implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MetricsPort.class);

  /** Long enough for any Prometheus' request, too long for none. */
  private static final int LONGEST_LINE = 4 * 1024;

  private static final int LONGEST_HEADERS = 16 * 1024;
  private static final int PIECE = 8 * 1024;

  /** How long a connection may take for its next step. */
  record Patience(Duration request, Duration idle, Duration taking) {
    static final Patience ORDINARY =
        new Patience(Duration.ofSeconds(5), Duration.ofMinutes(2), Duration.ofSeconds(10));
  }

  private final TelemetryConfig.Port where;
  private final Patience patience;
  private final ReaderPlaces places;
  private final ReadingLine line;
  private final Oddities oddities = new Oddities(System::nanoTime);
  private @Nullable EventLoopGroup loop;
  private @Nullable Channel listening;

  public MetricsPort(TelemetryConfig.Port where, Page page) {
    this(where, page, ReaderPlaces.MOST, Patience.ORDINARY);
  }

  MetricsPort(TelemetryConfig.Port where, Page page, int mostReaders, Patience patience) {
    this.where = where;
    this.patience = patience;
    this.places = new ReaderPlaces(mostReaders);
    this.line = new ReadingLine(page);
  }

  /**
   * Opens the port. Where nobody asked for it and another gateway has it, it warns and goes on.
   *
   * @throws IOException says in one line which key, which address, and why
   */
  public void start() throws IOException {
    EventLoopGroup own =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("metrics", true), SidePort.ioHandler());
    try {
      listening = new ListenAddress(where.key(), where.address()).bind(at -> bind(own, at));
      loop = own;
    } catch (IOException e) {
      SidePort.release(own);
      if (where.asked()) {
        throw e;
      }
      LOG.warn(
          "No page of metrics. {}. Set {} to another address, or off", e.getMessage(), where.key());
    }
  }

  private Channel bind(EventLoopGroup own, InetSocketAddress at) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(own)
            .channel(SidePort.channelType())
            .handler(new AcceptPause())
            .childHandler(new Readers())
            .bind(at)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(bound.cause());
    }
    return bound.channel();
  }

  /** The bound port; -1: there is none. */
  public int port() {
    return listening == null ? -1 : ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Readers turned away so far because there were too many. */
  public long turnedAway() {
    return places.turnedAway();
  }

  /** Closes port, connections and thread. Does nothing when it was not started. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // it is over when it returns
  public void close() {
    if (listening != null) {
      listening.close().awaitUninterruptibly();
    }
    if (loop != null) {
      SidePort.release(loop);
      loop = null;
    }
  }

  private final class Readers extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      channel
          .pipeline()
          .addLast(new HttpServerCodec(LONGEST_LINE, LONGEST_HEADERS, PIECE))
          .addLast(new Reader(places, line, patience, oddities));
    }
  }
}
