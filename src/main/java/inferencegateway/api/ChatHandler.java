package inferencegateway.api;

import inferencegateway.auth.Caller;
import inferencegateway.call.ActiveCall;
import inferencegateway.call.CallInfo;
import inferencegateway.call.Calls;
import inferencegateway.chat.Tracking;
import inferencegateway.http.CallLoop;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Takes up the calls of one method. Plain {@link ServerCall} rather than the stubs' observers:
 * request ids go into trailers, malformed and doubled requests get our own answer, and nothing
 * stands between a token and the transport.
 */
final class ChatHandler<Q, A> implements ServerCallHandler<Incoming<Q>, A> {

  /** Sent by a client library from the second attempt on. */
  private static final Metadata.Key<String> PREVIOUS_ATTEMPTS =
      Metadata.Key.of("grpc-previous-rpc-attempts", Metadata.ASCII_STRING_MARSHALLER);

  /** Calls that share a prefix, as those of one conversation, are best served by one backend. */
  private static final Metadata.Key<String> SESSION =
      Metadata.Key.of("x-session-id", Metadata.ASCII_STRING_MARSHALLER);

  private static final Pattern SESSION_ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

  private final ChatMethod<Q, A> method;
  private final Calls calls;
  private final Supplier<CallLoop> currentLoop;

  ChatHandler(ChatMethod<Q, A> method, Calls calls, Supplier<CallLoop> currentLoop) {
    this.method = method;
    this.calls = calls;
    this.currentLoop = currentLoop;
  }

  @Override
  public ServerCall.Listener<Incoming<Q>> startCall(
      ServerCall<Incoming<Q>, A> call, Metadata headers) {
    CallInfo info = info(call, headers);
    ActiveCall active =
        calls.arrived(info, method.sinks().make(call, info.requestId(), info.context()));
    call.request(2); // One more than there should be: a second request must be noticed.
    return new RequestListener<>(active, method.reader());
  }

  private CallInfo info(ServerCall<Incoming<Q>, A> call, Metadata headers) {
    SocketAddress peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    Tracking tracking = TraceHeaders.of(headers);
    String name = call.getMethodDescriptor().getFullMethodName();
    Caller caller = Door.caller();
    return new CallInfo(
        tracking,
        calls.tracing().arrived(tracking, name, peer, caller.name(), method.streaming()),
        name,
        Objects.toString(peer),
        caller,
        session(headers),
        headers.containsKey(PREVIOUS_ATTEMPTS),
        method.streaming(),
        currentLoop.get(),
        Context.current());
  }

  /** Only chooses among backends; one that is not well-formed counts as none. */
  private static String session(Metadata headers) {
    String said = headers.get(SESSION);
    return said != null && SESSION_ID.matcher(said).matches() ? said : "";
  }
}
