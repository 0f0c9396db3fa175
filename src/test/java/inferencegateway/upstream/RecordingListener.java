package inferencegateway.upstream;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Usage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down all it hears, and complains about anything after the end. */
final class RecordingListener implements AnswerListener {

  final List<Delta> deltas = new ArrayList<>();
  int sent;
  int batches;
  @Nullable AnswerHead head;
  @Nullable Finish finish;
  @Nullable Usage usage;
  @Nullable Failure failure;
  Runnable onEveryDelta = () -> {};

  boolean isOver() {
    return finish != null || failure != null;
  }

  String text() {
    return String.join("", deltas.stream().map(Delta::text).toList());
  }

  String reasoning() {
    return String.join("", deltas.stream().map(Delta::reasoning).toList());
  }

  Reason reason() {
    if (failure == null) {
      throw new AssertionError("did not fail: " + finish);
    }
    return failure.reason();
  }

  private void beforeEnd() {
    if (isOver()) {
      throw new AssertionError("called after the end");
    }
  }

  @Override
  public void onSent() {
    beforeEnd();
    sent++;
  }

  @Override
  public void onHead(AnswerHead answerHead) {
    beforeEnd();
    if (head != null || !deltas.isEmpty()) {
      throw new AssertionError("head twice or late");
    }
    head = answerHead;
  }

  @Override
  public void onDelta(Delta delta) {
    beforeEnd();
    if (head == null || (delta.text().isEmpty() && delta.reasoning().isEmpty())) {
      throw new AssertionError("empty, or before the head");
    }
    deltas.add(delta);
    onEveryDelta.run();
  }

  @Override
  public void onBatchEnd() {
    beforeEnd();
    batches++;
  }

  @Override
  public void onCompleted(Finish answerFinish, @Nullable Usage answerUsage) {
    beforeEnd();
    if (head == null) {
      throw new AssertionError("completed without a head");
    }
    finish = answerFinish;
    usage = answerUsage;
  }

  @Override
  public void onFailed(Failure answerFailure) {
    beforeEnd();
    failure = answerFailure;
  }
}
