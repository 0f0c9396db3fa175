package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.channel.ChannelFutureListener;
import java.util.concurrent.atomic.LongAdder;

/** What happened on all loops together. */
final class Counters {
  final LongAdder opened = new LongAdder();
  final LongAdder closed = new LongAdder();
  final LongAdder reused = new LongAdder();
  final LongAdder staleReplays = new LongAdder();
  final LongAdder aborted = new LongAdder();
  final LongAdder unsolicited = new LongAdder();

  final ChannelFutureListener countClosed = future -> closed.increment();

  ConnectionCounts snapshot() {
    long closedNow = closed.sum(); // Before the opened ones, so that the difference is never below.
    return new ConnectionCounts(
        opened.sum() - closedNow,
        opened.sum(),
        reused.sum(),
        staleReplays.sum(),
        aborted.sum(),
        unsolicited.sum());
  }
}
