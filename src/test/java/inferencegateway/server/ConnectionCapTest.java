package inferencegateway.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionCapTest {

  @Test
  void afterAFailedAcceptTheListenerLooksAwayForASecondAndThenGoesOn() {
    EmbeddedChannel listening = new EmbeddedChannel(new ConnectionCap(10));
    listening.freezeTime();
    listening.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    assertFalse(listening.config().isAutoRead());
    listening.advanceTimeBy(1, TimeUnit.SECONDS);
    listening.runScheduledPendingTasks();
    assertTrue(listening.config().isAutoRead());
    // Nothing is left for Netty to complain of.
    listening.checkException();
  }
}
