package inferencegateway.server;

import static inferencegateway.server.GrpcListenerTest.echo;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.CertifiedKey;
import inferencegateway.config.Reloadable;
import inferencegateway.config.TlsConfig;
import inferencegateway.config.Watch;
import inferencegateway.testing.Authority;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.Issued;
import inferencegateway.testing.Pace;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSsl;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P24, L11, S15, S16: certificates change under a listener that goes on. */
class TlsReloadTest {

  private static final byte[] HELLO = {1, 2, 3};
  private static final Duration SOON = Duration.ofSeconds(5);

  private final Port port = new Port();
  private final Authority servers = new Authority("CN=Servers");
  private final Authority clients = new Authority("CN=Clients");

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    servers.self().write(folder, "ca");
    clients.self().write(folder, "clients");
    newPair().write(folder, "tls");
    clients.to("CN=somebody").issue().write(folder, "client");
    port.tls =
        new TlsConfig(
            folder.resolve("tls.crt"), folder.resolve("tls.key"), folder.resolve("clients.crt"));
  }

  @AfterEach
  void close() {
    port.close();
  }

  private Issued newPair() {
    return servers.to("CN=gateway").dns("localhost").issue();
  }

  /** Another connection, and so another handshake, with each call. */
  private ManagedChannel channel() throws SSLException {
    return channel("client");
  }

  private ManagedChannel channel(String as) throws SSLException {
    SslContextBuilder client =
        GrpcSslContexts.configure(
            SslContextBuilder.forClient()
                .trustManager(folder.resolve("ca.crt").toFile())
                .keyManager(
                    folder.resolve(as + ".crt").toFile(), folder.resolve(as + ".key").toFile()));
    return port.channelBuilder().overrideAuthority("localhost").sslContext(client.build()).build();
  }

  private void call(String as) throws SSLException {
    ManagedChannel channel = channel(as);
    try {
      assertArrayEquals(HELLO, echo(channel, HELLO));
    } finally {
      channel.shutdownNow();
    }
  }

  private void assertRefused(String as) throws SSLException {
    ManagedChannel channel = channel(as);
    try {
      assertThrows(StatusRuntimeException.class, () -> echo(channel, HELLO));
    } finally {
      channel.shutdownNow();
    }
  }

  private void put(String name, String text) throws IOException {
    Path next = Files.writeString(folder.resolve(name + ".next"), text);
    Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  /** What the server shows in a handshake of Java's own client. */
  private BigInteger shownSerial() throws Exception {
    try (SSLSocket socket = handshake(javaClient("client"), "TLSv1.3")) {
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  private SSLSocket handshake(SSLContext client, String protocol) throws Exception {
    SSLSocket socket =
        (SSLSocket) client.getSocketFactory().createSocket("localhost", port.listener().port());
    socket.setSoTimeout(10_000);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    parameters.setProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private SSLContext javaClient(String as) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", certificate("ca"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    own.setKeyEntry("own", inferenceKey(as), new char[0], new X509Certificate[] {certificate(as)});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private X509Certificate certificate(String name) throws Exception {
    byte[] pem = Files.readAllBytes(folder.resolve(name + ".crt"));
    return (X509Certificate)
        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
  }

  private PrivateKey inferenceKey(String name) throws Exception {
    return CertifiedKey.read("tls", folder.resolve(name + ".crt"), folder.resolve(name + ".key"))
        .key();
  }

  /** The whole of P24, in a few seconds: certificates change five times a second. */
  @Test
  void noCallFailsWhileCertificatesChange() throws Exception {
    port.start();
    Set<BigInteger> shown = ConcurrentHashMap.newKeySet();
    AtomicInteger turn = new AtomicInteger();
    ManagedChannel lasting = channel();
    try (Watch watch = new Watch(Duration.ofMillis(10));
        Pace rotation = Pace.start(Duration.ofMillis(100), () -> rotate(turn.getAndIncrement()))) {
      watch.add(reloadable());
      watch.start();
      assertArrayEquals(HELLO, echo(lasting, HELLO));
      long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
      int calls = 0;
      while (System.nanoTime() < end) {
        call("client");
        shown.add(shownSerial());
        assertArrayEquals(HELLO, echo(lasting, HELLO), "the old connection lives on");
        calls++;
      }
      assertTrue(calls >= 5, "calls: " + calls);
    } finally {
      lasting.shutdownNow();
    }
    assertTrue(shown.size() >= 2, "serial numbers seen: " + shown);
  }

  /** Certificate first, half a key, then the whole key: what a writer without care does. */
  private void rotate(int turn) {
    try {
      Issued pair = newPair();
      switch (turn % 3) {
        case 0 -> {
          Files.writeString(folder.resolve("tls.crt"), pair.certificatePem());
          Files.writeString(folder.resolve("tls.key"), pair.keyPem().substring(0, 80));
        }
        case 1 -> Files.writeString(folder.resolve("tls.crt"), pair.certificatePem());
        default -> pair.write(folder, "tls");
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Reloadable reloadable() {
    Reloadable tls = port.listener().tls();
    assertTrue(tls != null);
    return tls;
  }

  @ParameterizedTest
  @EnumSource(
      value = SslProvider.class,
      names = {"JDK", "OPENSSL"})
  void bothProvidersTakeANewPair(SslProvider provider) throws Exception {
    if (provider == SslProvider.OPENSSL) {
      Assumptions.assumeTrue(OpenSsl.isAvailable());
    }
    ServerTls tls = ServerTls.open(port.tls, provider);
    var before = tls.context().sessionContext();
    newPair().write(folder, "tls");
    tls.reload();
    assertTrue(
        before != tls.context().sessionContext(),
        "sessions do not outlive what they were checked by");
    var engine = tls.context().newEngine(ByteBufAllocator.DEFAULT);
    assertEquals(
        List.of("TLSv1.2", "TLSv1.3"),
        Arrays.stream(engine.getEnabledProtocols())
            .filter(p -> p.startsWith("TLSv1."))
            .sorted()
            .toList());
    ReferenceCountUtil.release(engine);
  }

  /** It would only turn every caller away. */
  @Test
  void anExpiredCertificateDoesNotReplaceAGoodOne() throws Exception {
    port.start();
    BigInteger before = shownSerial();
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    servers.to("CN=gateway").dns("localhost").until(yesterday).issue().write(folder, "tls");
    IOException refused = assertThrows(IOException.class, reloadable()::reload);
    assertTrue(String.valueOf(refused.getMessage()).contains("has expired"), refused.toString());
    assertEquals(before, shownSerial());
    newPair().write(folder, "tls");
    reloadable().reload();
    assertTrue(!before.equals(shownSerial()));
  }

  @Test
  void handshakesThatFailAreCountedWhoeverRefuses() throws Exception {
    port.start();
    call("client");
    assertEquals(0, port.listener().failedHandshakes());
    servers.to("CN=stranger").issue().write(folder, "stranger");
    assertRefused("stranger");
    Eventually.within(SOON).assertThat("we refused", () -> port.listener().failedHandshakes() >= 1);
    long ours = port.listener().failedHandshakes();
    new Authority("CN=Others").self().write(folder, "ca"); // The client trusts nobody we are.
    assertRefused("client");
    Eventually.within(SOON)
        .assertThat("the client refused", () -> port.listener().failedHandshakes() > ours);
  }

  @Test
  void everyTruncationOfAFileLeavesTheOldInForce() throws Exception {
    port.start();
    BigInteger before = shownSerial();
    Issued next = newPair();
    put("tls.key", next.keyPem());
    String certificate = next.certificatePem();
    for (int length = 0; length < certificate.length() - 2; length += 7) {
      put("tls.crt", certificate.substring(0, length));
      assertThrows(IOException.class, reloadable()::reload);
    }
    put("tls.crt", certificate);
    String authorities = Files.readString(folder.resolve("clients.crt"));
    for (int length = 0; length < authorities.length() - 2; length += 7) {
      put("clients.crt", authorities.substring(0, length));
      assertThrows(IOException.class, reloadable()::reload);
    }
    assertEquals(before, shownSerial());
    put("clients.crt", authorities);
    reloadable().reload();
    assertEquals(next.certificate().getSerialNumber(), shownSerial());
  }

  @Test
  void linksAreSwappedAsKubernetesDoes() throws Exception {
    Path first = Files.createDirectory(folder.resolve("..1"));
    newPair().write(first, "tls");
    Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    for (String name : List.of("tls.crt", "tls.key")) {
      Files.delete(folder.resolve(name));
      Files.createSymbolicLink(folder.resolve(name), Path.of("..data/" + name));
    }
    port.start();
    try (Watch watch = new Watch(Duration.ofMillis(5))) {
      watch.add(reloadable());
      watch.start();
      Path second = Files.createDirectory(folder.resolve("..2"));
      Issued next = newPair();
      next.write(second, "tls");
      Path swap = Files.createSymbolicLink(folder.resolve("..swap"), Path.of("..2"));
      Files.move(swap, data, StandardCopyOption.ATOMIC_MOVE);
      Eventually.within(SOON)
          .passes(() -> assertEquals(next.certificate().getSerialNumber(), uncheckedSerial()));
    }
  }

  private BigInteger uncheckedSerial() {
    try {
      return shownSerial();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A session that was begun under the old authorities must not open the door again. */
  @Test
  void clientsOfAnAuthorityThatIsGoneAreRefusedEvenWithAnOldSession() throws Exception {
    port.start();
    SSLContext old = javaClient("client");
    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      assertTrue(isServed(old, protocol), protocol);
      assertTrue(isServed(old, protocol), protocol);
    }
    Authority others = new Authority("CN=Others");
    others.to("CN=else").issue().write(folder, "other");
    put("clients.crt", others.self().certificatePem());
    reloadable().reload();
    call("other");
    assertRefused("client");
    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      assertTrue(!isServed(old, protocol), protocol);
    }
  }

  /** Reads the server's SETTINGS: in TLS 1.3 only that shows that it liked the certificate. */
  private boolean isServed(SSLContext client, String protocol) throws Exception {
    try (SSLSocket socket = handshake(client, protocol)) {
      socket
          .getOutputStream()
          .write(
              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
                  .getBytes(StandardCharsets.US_ASCII));
      return socket.getInputStream().readNBytes(9).length == 9;
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void certificateForServersOnlyIsNoClients() throws Exception {
    clients.to("CN=server").serverOnly().issue().write(folder, "server");
    clients.to("CN=late").until(Instant.now().minusSeconds(60)).issue().write(folder, "late");
    port.start();
    assertRefused("server");
    assertRefused("late");
    call("client");
  }

  @Test
  void renegotiationIsRefused() throws Exception {
    port.start();
    try (SSLSocket socket = handshake(javaClient("client"), "TLSv1.2")) {
      socket.startHandshake();
      assertTrue(isClosedByPeer(socket));
    }
  }

  private static boolean isClosedByPeer(SSLSocket socket) {
    try {
      while (socket.getInputStream().read() >= 0) {}
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void weakCiphersAreRefused() throws Exception {
    port.start();
    SSLContext client = javaClient("client");
    for (String cipher :
        List.of(
            "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
            "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384")) {
      SSLSocket socket =
          (SSLSocket) client.getSocketFactory().createSocket("localhost", port.listener().port());
      try (socket) {
        socket.setSoTimeout(10_000);
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        socket.setEnabledCipherSuites(new String[] {cipher});
        assertThrows(IOException.class, socket::startHandshake, cipher);
      }
    }
  }
}
