package inferencegateway.testing;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers calls with messages of one size for as long as they are ready for more; counts all. */
final class Flood implements ServerCallHandler<GenerateRequest, TokenResponse> {
  static final TokenResponse MESSAGE = ofSize(1_000);

  final AtomicInteger sent = new AtomicInteger();
  final AtomicInteger requests = new AtomicInteger();
  final CountDownLatch notReady = new CountDownLatch(1);
  final CountDownLatch cancelled = new CountDownLatch(1);
  final List<Long> readyAt = new CopyOnWriteArrayList<>();
  private final int readyThreshold;
  private final TokenResponse message;

  Flood() {
    this(32_768, MESSAGE);
  }

  Flood(int readyThreshold, TokenResponse message) {
    this.readyThreshold = readyThreshold;
    this.message = message;
  }

  static TokenResponse ofSize(int characters) {
    return TokenResponse.newBuilder().setToken("x".repeat(characters)).build();
  }

  @Override
  public ServerCall.Listener<GenerateRequest> startCall(
      ServerCall<GenerateRequest, TokenResponse> call, Metadata headers) {
    call.setOnReadyThreshold(readyThreshold);
    call.request(2);
    return new ServerCall.Listener<>() {
      private boolean started;

      @Override
      public void onMessage(GenerateRequest request) {
        requests.incrementAndGet();
      }

      @Override
      public void onHalfClose() {
        call.sendHeaders(new Metadata());
        started = true;
        pour(call);
      }

      @Override
      public void onReady() {
        // It also comes before the half-close.
        if (started) {
          readyAt.add(System.nanoTime());
          pour(call);
        }
      }

      @Override
      public void onCancel() {
        cancelled.countDown();
      }
    };
  }

  private void pour(ServerCall<GenerateRequest, TokenResponse> call) {
    while (call.isReady() && !call.isCancelled()) {
      call.sendMessage(message);
      sent.incrementAndGet();
    }
    notReady.countDown();
  }

  static boolean happens(CountDownLatch latch) {
    return happens(latch, Duration.ofSeconds(5));
  }

  static boolean happens(CountDownLatch latch, Duration limit) {
    try {
      return latch.await(limit.toNanos(), java.util.concurrent.TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
