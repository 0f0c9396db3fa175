package inferencegateway.cli;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which gateway a client command talks to, and how. */
final class Target {

  static final int DEFAULT_PORT = 50051;
  private static final int MOST_ANSWER_BYTES = 64 << 20;
  private static final Pattern NAME_ONLY = Pattern.compile("[A-Za-z0-9._-]+");

  @Option(
      names = "--target",
      paramLabel = "<host:port>",
      defaultValue = "localhost:" + DEFAULT_PORT,
      description = "The gateway. Default: ${DEFAULT-VALUE}")
  private String address = "localhost:" + DEFAULT_PORT;

  @Option(names = "--tls", description = "Speak TLS, trusting the authorities that Java trusts")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "<file>",
      description = "Speak TLS, trusting these authorities (PEM)")
  private @Nullable File authorities;

  @Option(
      names = "--tls-cert",
      paramLabel = "<file>",
      description = "Speak TLS, showing this certificate chain (PEM)")
  private @Nullable File certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "<file>",
      description = "The private key of --tls-cert (PEM, PKCS#8)")
  private @Nullable File key;

  @Option(
      names = "--token-file",
      paramLabel = "<file>",
      description =
          "A file that holds the caller's key, one line; sent as a bearer token. Without it, the"
              + " variable INFERENCE_GATEWAY_TOKEN, if it is set")
  private @Nullable File tokenFile;

  String address() {
    return NAME_ONLY.matcher(address).matches() ? address + ":" + DEFAULT_PORT : address;
  }

  /**
   * A new channel; nothing is connected yet.
   *
   * @param environment may hold the caller's key
   */
  ManagedChannel open(Map<String, String> environment) {
    if (address.startsWith("http://") || address.startsWith("https://")) {
      throw new UsageFault("--target: must be host:port without http://, was " + address);
    }
    try {
      ManagedChannelBuilder<?> channel =
          Grpc.newChannelBuilder(address(), credentials()).maxInboundMessageSize(MOST_ANSWER_BYTES);
      CallerToken.of(tokenFile, environment).ifPresent(channel::intercept);
      return channel.build();
    } catch (IllegalArgumentException e) {
      throw new UsageFault("--target: must be host:port, was " + address);
    }
  }

  private ChannelCredentials credentials() {
    if ((certificate == null) != (key == null)) {
      throw new UsageFault("--tls-cert and --tls-key: need each other");
    }
    if (!tls && authorities == null && certificate == null) {
      return InsecureChannelCredentials.create();
    }
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    try {
      if (authorities != null) {
        builder.trustManager(authorities);
      }
      if (certificate != null && key != null) {
        builder.keyManager(certificate, key);
      }
    } catch (IOException e) {
      throw new UsageFault("--tls-...: cannot read " + e.getMessage());
    }
    return builder.build();
  }
}
