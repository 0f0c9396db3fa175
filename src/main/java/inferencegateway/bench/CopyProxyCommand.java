package inferencegateway.bench;

import inferencegateway.config.LogConfig;
import inferencegateway.telemetry.Logging;
import io.grpc.netty.shaded.io.netty.bootstrap.Bootstrap;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A proxy that copies bytes and looks at none: what {@code bench} compares with where there is no
 * nginx. Runs until it is killed.
 */
@Command(name = CopyProxyCommand.NAME, hidden = true, description = "Part of bench.")
@SuppressWarnings(
    "FutureReturnValueIgnored") // A failed write or connect shows as a closed channel.
public final class CopyProxyCommand implements Callable<Integer> {

  static final String NAME = "bench-proxy";

  @Option(names = "--to", required = true, description = "Port on loopback to copy to.")
  private int backend;

  private @Nullable CommandSpec spec;

  /** Called by picocli, once, before any parsing. */
  @Spec
  void spec(CommandSpec given) {
    spec = given;
  }

  @Override
  public Integer call() throws InterruptedException {
    Logging logging = Logging.start(LogConfig.quiet());
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    try (logging;
        LoadLoops loops = new LoadLoops("copy", threads)) {
      Channel listening = listen(loops);
      if (spec != null) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("copying from 127.0.0.1:" + port(listening));
        out.flush();
      }
      listening.closeFuture().await();
    }
    return 0;
  }

  private static int port(Channel listening) {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  private Channel listen(LoadLoops loops) {
    Bootstrap dial =
        new Bootstrap()
            .channel(loops.sockets())
            .option(ChannelOption.TCP_NODELAY, true)
            .remoteAddress(InetAddress.getLoopbackAddress(), backend);
    return new ServerBootstrap()
        .group(loops.group())
        .channel(loops.listeners())
        .option(ChannelOption.SO_BACKLOG, 4_096)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.AUTO_READ, false)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel caller) {
                join(caller, dial);
              }
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly()
        .channel();
  }

  /** Both ends on one loop. The caller is read once there is somewhere to write to. */
  private static void join(Channel caller, Bootstrap dial) {
    Channel upstream =
        dial.clone(caller.eventLoop()).handler(new Copier(caller)).connect().channel();
    caller.pipeline().addLast(new Copier(upstream));
  }

  /** Writes all that comes to the other end, and stops reading while that is full. */
  private static final class Copier extends ChannelInboundHandlerAdapter {

    private final Channel other;

    Copier(Channel other) {
      this.other = other;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      other.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      other.write(message, other.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      other.flush();
      ctx.channel().config().setAutoRead(other.isWritable());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      other.config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      other.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
