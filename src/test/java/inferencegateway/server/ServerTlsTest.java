package inferencegateway.server;

import static inferencegateway.server.GrpcListenerTest.echo;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.HostPort;
import inferencegateway.config.TlsConfig;
import inferencegateway.health.Readiness;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTlsTest {

  private static final byte[] HELLO = {1, 2, 3};
  private static final Path FILES = Path.of("src/test/resources/tls/server");

  private final Port port = new Port();

  @TempDir private Path temporary;

  @AfterEach
  void close() {
    port.close();
  }

  private static Path file(String name) {
    return FILES.resolve(name);
  }

  private static TlsConfig plain() {
    return new TlsConfig(file("server.crt"), file("server.key"), null);
  }

  private static TlsConfig mutual() {
    return new TlsConfig(file("server.crt"), file("server.key"), file("ca.crt"));
  }

  private static SslContextBuilder client() {
    return GrpcSslContexts.configure(
        SslContextBuilder.forClient().trustManager(file("ca.crt").toFile()));
  }

  private ManagedChannel channel(SslContextBuilder client) throws SSLException {
    NettyChannelBuilder builder = port.channelBuilder().overrideAuthority("localhost");
    return port.keep(builder.sslContext(client.build()).build());
  }

  private static SslContextBuilder as(String name) {
    File certificate = file(name + ".crt").toFile();
    return client().keyManager(certificate, file(name + ".key").toFile());
  }

  private void assertRefused(ManagedChannel channel) {
    StatusRuntimeException e =
        assertThrows(StatusRuntimeException.class, () -> echo(channel, HELLO));
    assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
    assertTrue(port.calls.callers.isEmpty());
  }

  @Test
  void servesTls12And13() throws IOException {
    port.tls = plain();
    port.start();
    assertArrayEquals(HELLO, echo(channel(client().protocols("TLSv1.2")), HELLO));
    assertArrayEquals(HELLO, echo(channel(client().protocols("TLSv1.3")), HELLO));
  }

  @Test
  void olderTlsIsRefused() throws Exception {
    port.tls = plain();
    port.start();
    // A TLS 1.1 hello: Java's own client no longer speaks it.
    String hello =
        "16030100330100002f0302" + "00".repeat(32) + "00" + "0008c00ac014c009c013" + "0100";
    byte[] bytes = java.util.HexFormat.of().parseHex(hello);
    bytes[4] = (byte) (bytes.length - 5);
    bytes[8] = (byte) (bytes.length - 9);
    try (Socket socket = port.connect()) {
      socket.getOutputStream().write(bytes);
      byte[] alert = socket.getInputStream().readNBytes(7);
      assertEquals(21, alert[0], "an alert");
      assertEquals(70, alert[6], "protocol_version, RFC 8446 section 6.2");
      assertEquals(-1, socket.getInputStream().read());
    }
  }

  @Test
  void clientWithoutHttp2ByAlpnIsTurnedAway() throws Exception {
    port.tls = plain();
    port.start();
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {new TrustAll()}, null);
    try (SSLSocket socket =
        (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", port.listener().port())) {
      socket.setSoTimeout(10_000);
      assertTurnedAway(socket);
    }
    GrpcListenerTest.await(() -> port.listener().connections() == 0);
  }

  private static void assertTurnedAway(SSLSocket socket) {
    try {
      socket.startHandshake();
      assertEquals(-1, socket.getInputStream().read());
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("still open", e);
    } catch (IOException turnedAway) {
      return;
    }
  }

  @Test
  void mutualTlsLetsInWhomTheAuthoritySigned() throws IOException {
    port.tls = mutual();
    port.start();
    assertArrayEquals(HELLO, echo(channel(as("client")), HELLO));
  }

  @Test
  void mutualTlsRefusesNobodyAndStrangers() throws IOException {
    port.tls = mutual();
    port.start();
    assertRefused(channel(client()));
    assertRefused(channel(as("stranger")));
  }

  @Test
  void healthPortAnswersWithoutCertificate() throws IOException {
    port.tls = mutual();
    port.start();
    try (HealthListener health =
        new HealthListener(new HostPort("127.0.0.1", 0), new Readiness().service())) {
      health.start();
      ManagedChannel channel =
          port.keep(
              NettyChannelBuilder.forAddress("127.0.0.1", health.port()).usePlaintext().build());
      HealthGrpc.newBlockingStub(channel)
          .withDeadlineAfter(10, TimeUnit.SECONDS)
          .check(HealthCheckRequest.getDefaultInstance());
    }
  }

  @Test
  void stalledHandshakeIsClosed() throws IOException {
    port.tls = plain();
    port.handshakeTimeout = Duration.ofMillis(200);
    port.start();
    try (Socket socket = port.connect()) {
      assertEquals(-1, socket.getInputStream().read());
    }
  }

  private String problem(TlsConfig config) {
    return assertThrows(IOException.class, () -> ServerTls.open(config)).getMessage();
  }

  @Test
  void missingFilesAreNamedWithTheirKey() {
    Path gone = temporary.resolve("gone.pem");
    assertEquals(
        "tls.cert: no such file: " + gone, problem(new TlsConfig(gone, file("server.key"), null)));
    assertEquals(
        "tls.key: no such file: " + gone, problem(new TlsConfig(file("server.crt"), gone, null)));
    assertEquals(
        "tls.client-ca: no such file: " + gone,
        problem(new TlsConfig(file("server.crt"), file("server.key"), gone)));
  }

  @Test
  void filesThatAreNoPemAreNamedWithTheirKeyAndNotQuoted() throws IOException {
    Path junk = Files.writeString(temporary.resolve("junk.pem"), "secret words");
    String inCertificate = problem(new TlsConfig(junk, file("server.key"), null));
    String inKey = problem(new TlsConfig(file("server.crt"), junk, null));
    String inCa = problem(new TlsConfig(file("server.crt"), file("server.key"), junk));
    assertTrue(inCertificate.startsWith("tls.cert: no"), inCertificate);
    assertTrue(inKey.startsWith("tls.key: no PEM private key"), inKey);
    assertTrue(inCa.startsWith("tls.client-ca: no"), inCa);
    assertTrue(!(inCertificate + inKey + inCa).contains("secret words"));
  }

  @Test
  void keyOfAnotherCertificateIsRefusedAtStart() {
    String message = problem(new TlsConfig(file("server.crt"), file("client.key"), null));
    assertTrue(message.startsWith("tls.key: not the key of the certificate"), message);
  }

  @Test
  void listenerWithBadFilesDoesNotOpenItsPort() {
    port.tls = new TlsConfig(temporary.resolve("gone.pem"), file("server.key"), null);
    IOException e = assertThrows(IOException.class, port::start);
    assertTrue(e.getMessage().startsWith("tls.cert: "), e.getMessage());
  }

  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String authType) {}

    @Override
    public java.security.cert.X509Certificate[] getAcceptedIssuers() {
      return new java.security.cert.X509Certificate[0];
    }
  }
}
