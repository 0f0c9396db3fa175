package inferencegateway.api;

import inferencegateway.call.AnswerSink;
import inferencegateway.chat.ChatRequest;
import io.grpc.Context;
import io.grpc.ServerCall;

/**
 * One method of one contract that asks a model something.
 *
 * @param streaming whether the answer goes out in pieces
 */
record ChatMethod<Q, A>(boolean streaming, Reader<Q> reader, SinkMaker<A> sinks) {

  /** From the contract's request to the common one. */
  interface Reader<Q> {
    /** The result is ignored when {@code violations} is not empty. */
    ChatRequest read(Q asked, Violations violations);
  }

  /** From the transport's call to the caller's end in the contract's words. */
  interface SinkMaker<A> {
    AnswerSink make(ServerCall<?, A> call, String requestId, Context context);
  }
}
