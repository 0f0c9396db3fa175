package inferencegateway.api;

import inferencegateway.auth.Caller;
import inferencegateway.auth.Callers;
import inferencegateway.auth.Credential;
import inferencegateway.auth.Identity;
import inferencegateway.auth.Presented;
import inferencegateway.call.Statuses;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Tracking;
import inferencegateway.telemetry.AuditLog;
import inferencegateway.telemetry.Denial;
import inferencegateway.telemetry.TraceContext;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls in whose caller is known and may call the method. The others end here, before their
 * request is read and before anything else hears of them.
 *
 * <p>Health is for everybody: probes have no credentials. Reflection tells what is public, and is
 * for every known caller, whatever methods it may call; so are load reports.
 */
public final class Door implements ServerInterceptor {

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Context.Key<Caller> CALLER = Context.key("caller");

  private static final String HEALTH = "grpc.health.v1.Health/";
  private static final String REFLECTION = "grpc.reflection.";
  private static final String LOAD = "xds.service.orca.v3.OpenRcaService/";

  private static final Failure UNKNOWN =
      Failure.of(
          Reason.UNAUTHENTICATED,
          "this gateway does not know who calls: send a key, as authorization: Bearer KEY, or use a"
              + " client certificate that is listed");

  private final Supplier<Callers> callers;
  private final boolean certificates;
  private final AuditLog audit;

  /**
   * @param callers asked once a call: the list of that moment
   * @param certificates whether the port asks for client certificates
   */
  public Door(Supplier<Callers> callers, boolean certificates, AuditLog audit) {
    this.callers = callers;
    this.certificates = certificates;
    this.audit = audit;
  }

  /** Who was let in; on the thread that starts a call, while it is started. */
  static Caller caller() {
    Caller caller = CALLER.get();
    return caller == null ? Caller.anyone("local") : caller;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    if (method.startsWith(HEALTH)) {
      return next.startCall(call, headers);
    }
    Presented presented = presented(call, headers);
    Identity identity = callers.get().identify(presented);
    if (identity instanceof Identity.Known known) {
      return mayCall(known.caller(), method)
          ? start(known.caller(), call, headers, next)
          : refuse(call, headers, notAllowed(known.caller()), known.caller().name(), "", "");
    }
    String why = identity instanceof Identity.Unknown unknown ? unknown.why() : "";
    return refuse(call, headers, UNKNOWN, "", presented.kind().word(), why);
  }

  /**
   * Notes that somebody was turned away by TLS already, before there was any call.
   *
   * @param why in the TLS library's words; nothing that the peer has sent
   */
  public void refusedHandshake(SocketAddress peer, String why) {
    audit.denied(
        new Denial(
            Reason.UNAUTHENTICATED,
            "",
            "",
            Credential.CERTIFICATE.word(),
            peer.toString(),
            "",
            "",
            "TLS handshake failed: " + why,
            io.opentelemetry.context.Context.root()));
  }

  private static boolean mayCall(Caller caller, String method) {
    return method.startsWith(REFLECTION) || method.startsWith(LOAD) || caller.mayCall(method);
  }

  private static Failure notAllowed(Caller caller) {
    return Failure.of(
        Reason.PERMISSION_DENIED, "caller " + caller.name() + " may not call this method");
  }

  /** The context is needed by the handler's start only: later events need not pass through here. */
  private static <Q, R> ServerCall.Listener<Q> start(
      Caller caller, ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Context context = Context.current().withValue(CALLER, caller);
    Context before = context.attach();
    try {
      return next.startCall(call, headers);
    } finally {
      context.detach(before);
    }
  }

  private <Q, R> ServerCall.Listener<Q> refuse(
      ServerCall<Q, R> call,
      Metadata headers,
      Failure failure,
      String caller,
      String credential,
      String why) {
    Tracking tracking = TraceHeaders.of(headers);
    String requestId = tracking.requestId();
    audit.denied(
        new Denial(
            failure.reason(),
            requestId,
            caller,
            credential,
            Objects.toString(peer(call)),
            call.getMethodDescriptor().getFullMethodName(),
            "",
            why,
            TraceContext.of(tracking)));
    Statuses.Answer answer = Statuses.of(failure, requestId, Phase.ADMISSION, 0);
    call.close(answer.status(), answer.trailers());
    return new ServerCall.Listener<>() {};
  }

  private Presented presented(ServerCall<?, ?> call, Metadata headers) {
    List<String> authorization = new ArrayList<>(1);
    Iterable<String> values = headers.getAll(AUTHORIZATION);
    if (values != null) {
      values.forEach(authorization::add);
    }
    return new Presented(authorization, certificates ? certificate(call) : null, host(peer(call)));
  }

  /** TLS has asked for one and looked at it. */
  private static @Nullable X509Certificate certificate(ServerCall<?, ?> call) {
    SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    try {
      Certificate[] chain = session == null ? new Certificate[0] : session.getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate own ? own : null;
    } catch (SSLPeerUnverifiedException e) {
      return null;
    }
  }

  private static @Nullable SocketAddress peer(ServerCall<?, ?> call) {
    return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
  }

  /** Callers that nobody knows by name are told apart by where they come from. */
  static String host(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress at && at.getAddress() != null
        ? at.getAddress().getHostAddress()
        : "local";
  }
}
