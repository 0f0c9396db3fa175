package inferencegateway.call;

import inferencegateway.chat.Failure;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Usage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How one call ended. Decided once, on the call's event loop. */
sealed interface Outcome {

  /** Exactly one of the three is applied. (Java 17 cannot yet switch over a sealed type.) */
  <R> R fold(
      Function<Completed, R> completed,
      Function<Failed, R> failed,
      Function<Abandoned, R> abandoned);

  /** Null for a good end, and for a caller that left. */
  default @Nullable Reason reason() {
    return fold(done -> null, failed -> failed.failure().reason(), gone -> gone.cause().reason());
  }

  /** The caller gets OK. */
  record Completed(Finish finish, Usage usage) implements Outcome {
    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Failed, R> failed,
        Function<Abandoned, R> abandoned) {
      return completed.apply(this);
    }
  }

  /**
   * Nobody is listening any more; nothing may be sent.
   *
   * @param seenAt when that was seen, by the monotonic clock
   */
  record Abandoned(Cause cause, long seenAt) implements Outcome {
    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Failed, R> failed,
        Function<Abandoned, R> abandoned) {
      return abandoned.apply(this);
    }
  }

  /** The caller is still there and is owed a status. */
  record Failed(Failure failure) implements Outcome {
    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Failed, R> failed,
        Function<Abandoned, R> abandoned) {
      return failed.apply(this);
    }
  }

  /** Why nobody is listening. */
  enum Cause {
    /** The caller cancelled, or its connection is gone. */
    CANCELLED(null),
    /** The caller's deadline passed; gRPC tells it so, where we cannot. */
    DEADLINE(Reason.CLIENT_DEADLINE),
    /** The caller took nothing for too long; the stream is reset. */
    SLOW_CONSUMER(Reason.SLOW_CONSUMER);

    private final @Nullable Reason reason;

    Cause(@Nullable Reason reason) {
      this.reason = reason;
    }

    @Nullable Reason reason() {
      return reason;
    }
  }
}
