package inferencegateway.cli;

import inferencegateway.auth.BearerKey;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends a caller's key along with every call. */
final class CallerToken implements ClientInterceptor {

  private static final String VARIABLE = "INFERENCE_GATEWAY_TOKEN";
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final String token;

  private CallerToken(String token) {
    this.token = token;
  }

  /**
   * The file's key, else the variable's; empty when there is neither.
   *
   * @throws UsageFault when it is none
   */
  static Optional<ClientInterceptor> of(@Nullable File file, Map<String, String> environment) {
    if (file != null) {
      return Optional.of(checked("--token-file", content(file)));
    }
    return Optional.ofNullable(environment.get(VARIABLE))
        .filter(token -> !token.isBlank())
        .map(token -> checked(VARIABLE, token.strip()));
  }

  private static String content(File file) {
    try {
      return Files.readString(file.toPath()).strip();
    } catch (IOException e) {
      throw new UsageFault("--token-file: cannot read " + file);
    }
  }

  private static CallerToken checked(String source, String token) {
    if (!BearerKey.canBe(token)) {
      throw new UsageFault(
          source + ": must hold a key of letters, digits and - . _ ~ + / on one line");
    }
    return new CallerToken(token);
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        headers.put(AUTHORIZATION, "Bearer " + token);
        super.start(listener, headers);
      }
    };
  }
}
