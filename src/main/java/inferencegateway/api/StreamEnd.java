package inferencegateway.api;

import inferencegateway.call.CallTiming;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;
import io.grpc.Context;
import io.grpc.ServerCall;

/** A caller that takes the answer in pieces. */
final class StreamEnd<A> extends CallerEnd<A> {

  /** So many characters are at most 1 MiB of UTF-8; clients take messages of 4 MiB. */
  private static final int MAX_PIECE_CHARS = (1 << 20) / 3;

  private final Wording<A> wording;

  StreamEnd(ServerCall<?, A> call, String requestId, Context context, Wording<A> wording) {
    super(call, requestId, context);
    this.wording = wording;
  }

  @Override
  public boolean isReady() {
    return transportIsReady();
  }

  @Override
  public void send(AnswerHead head, Delta delta) {
    if (delta.text().length() + delta.reasoning().length() <= MAX_PIECE_CHARS) {
      sendPiece(head, delta);
    } else {
      sendInParts(head, delta.reasoning(), true);
      sendInParts(head, delta.text(), false);
    }
  }

  private void sendPiece(AnswerHead head, Delta delta) {
    A piece = wording.piece(head, delta, !hasSent());
    if (piece != null) {
      message(piece);
    }
  }

  private void sendInParts(AnswerHead head, String all, boolean isReasoning) {
    for (int from = 0; from < all.length(); ) {
      int to = Math.min(all.length(), from + MAX_PIECE_CHARS);
      if (to < all.length() && Character.isHighSurrogate(all.charAt(to - 1))) {
        to--;
      }
      String part = all.substring(from, to);
      sendPiece(head, isReasoning ? new Delta("", part) : new Delta(part, ""));
      from = to;
    }
  }

  @Override
  public void complete(AnswerHead head, Finish finish, Usage usage, CallTiming timing) {
    message(wording.last(head, finish, usage, timing));
    ok();
  }
}
