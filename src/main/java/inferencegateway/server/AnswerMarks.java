package inferencegateway.server;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.List;

/**
 * Lets all marks add to every answer, those of other interceptors too: belongs outermost.
 *
 * <p>One wrapper for all of them. Every token passes through it, and a second layer costs more than
 * the hop: the library's forwarding methods then call themselves, which the JIT does not inline.
 */
public final class AnswerMarks implements ServerInterceptor {

  private final AnswerMark[] marks;

  public AnswerMarks(List<AnswerMark> marks) {
    this.marks = marks.toArray(AnswerMark[]::new);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return next.startCall(new MarkedCall<>(call, marks), headers);
  }

  private static final class MarkedCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final AnswerMark[] marks;

    MarkedCall(ServerCall<Q, R> call, AnswerMark[] marks) {
      super(call);
      this.marks = marks;
    }

    @Override
    public void sendHeaders(Metadata headers) {
      for (AnswerMark mark : marks) {
        mark.first(headers);
      }
      super.sendHeaders(headers);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      String method = getMethodDescriptor().getFullMethodName();
      for (AnswerMark mark : marks) {
        mark.last(method, trailers);
      }
      super.close(status, trailers);
    }
  }
}
