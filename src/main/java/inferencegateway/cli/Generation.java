package inferencegateway.cli;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One call of a person: asks, prints, and says how it went.
 *
 * @param target as people know it, for messages
 */
record Generation(
    Terminal terminal,
    String target,
    Contract contract,
    Duration deadline,
    boolean stream,
    boolean json) {

  /** Returns the exit code. The first Ctrl-C cancels the call, and so the generation upstream. */
  int run(ManagedChannel channel, Prompt prompt) {
    Context.CancellableContext context = Context.current().withCancellation();
    try (StopSignals signals = StopSignals.install(() -> context.cancel(null))) {
      int code = context.call(() -> ask(channel, prompt));
      return signals.asked() && code != ExitCode.OK ? ExitCode.INTERRUPTED : code;
    } catch (Exception e) {
      throw e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
    } finally {
      context.cancel(null);
    }
  }

  /** Without the signals: where somebody else has them. */
  int ask(ManagedChannel channel, Prompt prompt) {
    try {
      Duration left = Dialling.dial(channel, deadline);
      call(channel, left, prompt, new PrintedAnswer(terminal, json, System::nanoTime));
      return ExitCode.OK;
    } catch (StatusRuntimeException e) {
      new CallFailure(e).lines(target).forEach(terminal::say);
      return ExitCode.of(Status.fromThrowable(e));
    } catch (NobodyReads e) {
      // The call is cancelled by whoever ends its context or its channel.
      return ExitCode.FAILED;
    }
  }

  private void call(ManagedChannel channel, Duration left, Prompt prompt, PrintedAnswer answer) {
    try {
      Ending ending =
          stream
              ? contract.stream(channel, left, prompt, answer)
              : contract.whole(channel, left, prompt, answer);
      answer.summary(ending, stream);
    } catch (StatusRuntimeException e) {
      answer.endLine();
      throw e;
    }
  }

  /** Closes a channel and waits a moment for its goodbye to be sent. */
  static void close(ManagedChannel channel) {
    try {
      if (!channel.shutdown().awaitTermination(1, TimeUnit.SECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
