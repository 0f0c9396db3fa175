package inferencegateway.upstream;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Usage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What has come of one answer. Hands pieces on as they come and remembers what its end needs:
 * whether there was a finish reason, and usage.
 */
final class Answer {

  private final AnswerListener listener;
  private final BooleanSupplier listening;
  private final TextSeam text = new TextSeam();
  private final TextSeam reasoning = new TextSeam();
  private String id = "";
  private String model = "";
  private boolean headGiven;
  private boolean hasDeltas;
  private @Nullable Finish finish;
  private @Nullable Usage usage;

  /**
   * @param listening false once nothing more may be handed on; asked after every call of the
   *     listener, since the listener may abort
   */
  Answer(AnswerListener listener, BooleanSupplier listening) {
    this.listener = listener;
    this.listening = listening;
  }

  void add(Chunk chunk) {
    id = id.isEmpty() ? chunk.id : id;
    model = model.isEmpty() ? chunk.model : model;
    usage = chunk.usage == null ? usage : chunk.usage;
    if (!chunk.finishReason.isEmpty()) {
      finish = chunk.finish();
    }
    deliver(text.join(chunk.text), reasoning.join(chunk.reasoning));
  }

  private void deliver(String piece, String thought) {
    if (piece.isEmpty() && thought.isEmpty()) {
      return;
    }
    giveHead();
    if (listening.getAsBoolean()) {
      hasDeltas = true;
      listener.onDelta(new Delta(piece, thought));
    }
  }

  private void giveHead() {
    if (!headGiven && listening.getAsBoolean()) {
      headGiven = true;
      listener.onHead(new AnswerHead(id, model));
    }
  }

  /** Half a character may have been kept back. */
  void flush() {
    deliver(text.end(), reasoning.end());
    giveHead();
  }

  boolean hasDeltas() {
    return hasDeltas;
  }

  @Nullable Finish finish() {
    return finish;
  }

  @Nullable Usage usage() {
    return usage;
  }

  /** Whether a finish reason and usage are there, after which only the end marker can come. */
  boolean hasAll() {
    return finish != null && usage != null;
  }

  /** Why an answer that ended without a finish reason is none. */
  Failure unfinished() {
    return hasDeltas
        ? Failure.of(
            Reason.UPSTREAM_TRUNCATED, "the backend ended its answer without a finish_reason")
        : Failure.of(
            Reason.UPSTREAM_EMPTY, "the backend answered with neither text nor finish_reason");
  }

  /** vLLM's words for an answer that failed inside the engine; null for all others. */
  @Nullable Failure failedFinish() {
    return switch (finish == null ? "" : finish.raw()) {
      case "error" ->
          Failure.of(Reason.UPSTREAM_ERROR, "the backend failed while it was generating");
      case "abort" -> Failure.of(Reason.UPSTREAM_ABORTED, "the backend gave the request up");
      default -> null;
    };
  }
}
