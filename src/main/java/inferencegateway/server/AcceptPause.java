package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepting failed, as a rule for want of file descriptors: looks away for a moment. The main port
 * tells people of it ({@link ConnectionCap}).
 */
final class AcceptPause extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(AcceptPause.class);

  private static final long SECONDS = 1;

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // closing the channel ends its loop's interest too
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("A reader of metrics could not be accepted: {}", cause.getMessage());
    ctx.channel().config().setAutoRead(false);
    ctx.executor()
        .schedule(() -> ctx.channel().config().setAutoRead(true), SECONDS, TimeUnit.SECONDS);
  }
}
