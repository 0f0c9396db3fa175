package inferencegateway.bench;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Callers who come by the clock, however the server fares: at random, at a given mean rate. Times
 * count from when a call was due, so that a server that holds callers up cannot hide it
 * ("coordinated omission").
 */
final class OpenLoop implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final CompleteRequest request;
  private final Duration deadline;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final SplittableRandom random;
  private int turn;

  /**
   * Connects with the first call.
   *
   * @param from the address that all calls come from; null: whichever it is
   */
  OpenLoop(
      int port,
      LoadLoops loops,
      Ask ask,
      Duration deadline,
      @Nullable InetAddress from,
      long seed) {
    this.request = GrpcLoad.request(ask);
    this.deadline = deadline;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < CONNECTIONS; i++) {
      NettyChannelBuilder builder =
          NettyChannelBuilder.forAddress("127.0.0.1", port)
              .usePlaintext()
              .directExecutor()
              .disableRetry()
              .eventLoopGroup(loops.group())
              .channelType(loops.sockets());
      if (from != null) {
        builder.localSocketPicker(new From(from));
      }
      channels.add(builder.build());
    }
  }

  private static final class From extends NettyChannelBuilder.LocalSocketPicker {
    private final SocketAddress address;

    From(InetAddress host) {
      this.address = new InetSocketAddress(host, 0);
    }

    @Override
    public SocketAddress createSocketAddress(SocketAddress remote, Attributes attributes) {
      return address;
    }
  }

  /**
   * Calls until the time is over, and waits for the last answers.
   *
   * @param settle calls that are due before are made and not counted
   */
  Arrivals run(double perSecond, Duration settle, Duration measure) throws InterruptedException {
    Arrivals arrivals = new Arrivals(measure);
    long begin = System.nanoTime();
    long from = begin + settle.toNanos();
    long end = from + measure.toNanos();
    for (long due = begin; due - end < 0; due += gap(perSecond)) {
      while (due - System.nanoTime() > 0) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      call(due, due - from < 0 ? null : arrivals);
    }
    arrivals.await(deadline.plus(PATIENCE));
    return arrivals;
  }

  /** Exponential: calls know nothing of each other. */
  private long gap(double perSecond) {
    return (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
  }

  private void call(long due, @Nullable Arrivals arrivals) {
    ManagedChannel channel = channels.get(turn++ % CONNECTIONS);
    ClientCall<CompleteRequest, TokenChunk> call =
        channel.newCall(
            LLMServiceGrpc.getCompleteStreamMethod(),
            CallOptions.DEFAULT.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS));
    if (arrivals != null) {
      arrivals.made();
    }
    call.start(new End(due, arrivals), new Metadata());
    call.request(Integer.MAX_VALUE);
    call.sendMessage(request);
    call.halfClose();
  }

  private static final class End extends ClientCall.Listener<TokenChunk> {
    private final long due;
    private final @Nullable Arrivals arrivals;

    End(long due, @Nullable Arrivals arrivals) {
      this.due = due;
      this.arrivals = arrivals;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (arrivals != null) {
        arrivals.ended(status.getCode(), System.nanoTime() - due);
      }
    }
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel channel : channels) {
        channel.awaitTermination(2, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
