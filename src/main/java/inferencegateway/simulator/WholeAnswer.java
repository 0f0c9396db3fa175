package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import java.util.List;

/** An answer in one piece, sent when its last token is made. */
final class WholeAnswer implements AnswerSink {

  private static final String CONTENT_TYPE = "application/json";

  private final Reply reply;
  private final AnswerPlan plan;
  private final ChatAsk ask;
  private final AnswerJson json;
  private final FaultSpec spec;

  WholeAnswer(Reply reply, AnswerPlan plan, ChatAsk ask, AnswerJson json, FaultSpec spec) {
    this.reply = reply;
    this.plan = plan;
    this.ask = ask;
    this.json = json;
    this.spec = spec;
  }

  @Override
  public void accepted() {}

  @Override
  public boolean takesMore() {
    return true;
  }

  @Override
  public int burst() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void tokens(int from, int to) {}

  @Override
  public void finish() {
    reply.whole(200, CONTENT_TYPE, body(), List.of());
  }

  private ByteBuf body() {
    int reasoning = plan.reasoningTokens();
    Usage usage = new Usage(ask.promptTokens(), plan.tokens().size());
    AnswerJson.Around around =
        json.whole(
            reasoning > 0, Finish.keys(plan, spec), spec.has(Fault.USAGE_NONE) ? null : usage);
    ByteBuf body = Unpooled.buffer(512);
    body.writeBytes(around.before().getBytes(UTF_8));
    for (int i = 0; i < plan.tokens().size(); i++) {
      if (i == reasoning && i > 0) {
        body.writeBytes("\",\"content\":\"".getBytes(UTF_8));
      }
      body.writeBytes(plan.tokens().get(i).json());
    }
    return body.writeBytes(around.after().getBytes(UTF_8));
  }

  @Override
  public void cut(Cut.Kind kind, int written) {
    switch (kind) {
      case RESET -> reset();
      case END_OF_BODY -> {
        half(true);
        reply.close();
      }
      case ERROR_EVENT -> reply.answer(ErrorAnswer.requested("500", spec));
      case BAD_CHUNK -> {
        half(true);
        reply.badChunk();
      }
      case SHORT_BODY -> {
        half(false);
        reply.hangUp();
      }
      case STALL -> {}
    }
  }

  private void reset() {
    if (spec.has(Fault.DROP_AFTER_HEADERS)) {
      reply.openWithFalseLength(CONTENT_TYPE);
    }
    reply.reset();
  }

  /** Half the body: enough to look like one, not enough to be read. */
  private void half(boolean inPieces) {
    ByteBuf body = body();
    byte[] half = new byte[body.readableBytes() / 2];
    body.readBytes(half);
    if (inPieces) {
      reply.open(CONTENT_TYPE);
    } else {
      reply.openWithLength(CONTENT_TYPE, half.length * 2);
    }
    reply.piece(Event.of(half), List.of());
    body.release();
  }
}
