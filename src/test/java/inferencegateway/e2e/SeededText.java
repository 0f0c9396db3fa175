package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.WHOLE;

import com.google.protobuf.InvalidProtocolBufferException;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;

/** Answers that are the same text each time, so that nothing lost or swapped goes unseen. */
final class SeededText {

  private SeededText() {}

  static CompleteRequest.Builder ask(int tokens) {
    CompleteRequest.Builder ask = Scene.ask("", tokens);
    ask.getSamplingBuilder().setSeed(7);
    return ask;
  }

  /** What the answer of so many tokens says. */
  static String expected(RawH2 h2, int tokens) throws InvalidProtocolBufferException {
    RawStream whole = Scene.open(h2, WHOLE, Scene.newId(), ask(tokens)).awaitEnd(SOON);
    return CompleteResponse.parseFrom(whole.messages().get(0)).getText();
  }

  /** What has come on a stream. */
  static String of(RawStream call) throws InvalidProtocolBufferException {
    StringBuilder text = new StringBuilder();
    for (byte[] message : call.messages()) {
      text.append(TokenChunk.parseFrom(message).getToken());
    }
    return text.toString();
  }
}
