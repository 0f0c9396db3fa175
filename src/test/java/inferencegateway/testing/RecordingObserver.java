package inferencegateway.testing;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Receives a stream through an ordinary stub and takes messages only as the test asks for them.
 *
 * @param <ReqT> what is sent
 * @param <RespT> what comes back
 */
public final class RecordingObserver<ReqT, RespT> implements ClientResponseObserver<ReqT, RespT> {
  private final int atFirst;
  private final boolean automatic;
  private final List<RespT> messages = new CopyOnWriteArrayList<>();
  private final List<Long> arrivals = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private volatile @Nullable ClientCallStreamObserver<ReqT> call;
  private volatile @Nullable Metadata trailers;

  private RecordingObserver(int atFirst, boolean automatic) {
    this.atFirst = atFirst;
    this.automatic = automatic;
  }

  /** Takes messages as fast as they come. */
  public static <ReqT, RespT> RecordingObserver<ReqT, RespT> eager() {
    return new RecordingObserver<>(0, true);
  }

  /** Takes {@code atFirst} messages and then as many as {@link #request} says. */
  public static <ReqT, RespT> RecordingObserver<ReqT, RespT> taking(int atFirst) {
    return new RecordingObserver<>(atFirst, false);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ReqT> requestStream) {
    call = requestStream;
    if (!automatic) {
      requestStream.disableAutoRequestWithInitial(atFirst);
    }
  }

  @Override
  public void onNext(RespT message) {
    arrivals.add(System.nanoTime());
    messages.add(message);
  }

  @Override
  public void onError(Throwable error) {
    trailers = Status.trailersFromThrowable(error);
    end.complete(Status.fromThrowable(error));
  }

  @Override
  public void onCompleted() {
    end.complete(Status.OK);
  }

  public void request(int count) {
    started().request(count);
  }

  public void cancel() {
    started().cancel("cancelled by the test", null);
  }

  private ClientCallStreamObserver<ReqT> started() {
    ClientCallStreamObserver<ReqT> there = call;
    if (there == null) {
      throw new IllegalStateException("not given to a stub yet");
    }
    return there;
  }

  public List<RespT> messages() {
    return List.copyOf(messages);
  }

  /** {@link System#nanoTime} of each message. */
  public List<Long> arrivals() {
    return List.copyOf(arrivals);
  }

  public boolean isEnded() {
    return end.isDone();
  }

  /** Trailers of a call that failed, or null. */
  public @Nullable Metadata trailers() {
    return trailers;
  }

  public void awaitMessages(int count, Duration limit) {
    Eventually.within(limit)
        .assertThat(count + " messages", () -> messages.size() >= count || isEnded());
    if (messages.size() < count) {
      throw new AssertionError("ended with " + messages.size() + " messages: " + end.join());
    }
  }

  public Status awaitEnd(Duration limit) {
    Eventually.within(limit).assertThat("the end of the call", end::isDone);
    return end.join();
  }
}
