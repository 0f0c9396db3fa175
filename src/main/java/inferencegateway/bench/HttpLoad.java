package inferencegateway.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.netty.shaded.io.netty.bootstrap.Bootstrap;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.group.ChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.group.DefaultChannelGroup;
import io.grpc.netty.shaded.io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Callers of the backend's own HTTP, each on a connection of its own that it keeps. */
@SuppressWarnings(
    "FutureReturnValueIgnored") // A failed write or connect shows as a closed channel.
final class HttpLoad implements Load {

  private final InetSocketAddress server;
  private final LoadLoops loops;
  private final String model;
  private final Meter meter;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private volatile boolean closed;

  HttpLoad(int port, LoadLoops loops, String model, Meter meter) {
    this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.loops = loops;
    this.model = model;
    this.meter = meter;
  }

  @Override
  public void start(int callers, Ask ask) {
    byte[] body = ask.json(model).getBytes(UTF_8);
    String head =
        "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            + "content-length: "
            + body.length
            + "\r\n\r\n";
    ByteBuf request =
        Unpooled.unreleasableBuffer(Unpooled.copiedBuffer(head.getBytes(UTF_8), body));
    Bootstrap bootstrap = bootstrap(request);
    for (int i = 0; i < callers; i++) {
      bootstrap.connect();
    }
  }

  private Bootstrap bootstrap(ByteBuf request) {
    return new Bootstrap()
        .group(loops.group())
        .channel(loops.sockets())
        .option(ChannelOption.TCP_NODELAY, true)
        .remoteAddress(server)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                open.add(channel);
                channel.pipeline().addLast(new Caller(request));
              }
            });
  }

  private final class Caller extends ChannelInboundHandlerAdapter {

    private final ByteBuf request;
    private final HttpAnswer answer = new HttpAnswer(meter::token);

    Caller(ByteBuf request) {
      this.request = request;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(request.duplicate());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      try {
        bytes.forEachByte(answer);
      } finally {
        bytes.release();
      }
      if (answer.isFailed()) {
        ctx.close();
      } else if (answer.isComplete()) {
        meter.answered();
        answer.restart();
        ctx.writeAndFlush(request.duplicate());
      }
    }

    /** Once for every connection, also for those never made. */
    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      if (!closed) {
        meter.failed();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    open.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
