package inferencegateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.auth.KeyHash;
import inferencegateway.testing.Authority;
import inferencegateway.testing.Eventually;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** S1, S2, P25: callers known by their certificates. */
class CertifiedCallersTest {

  private static final String KEY = "igw_0123456789abcdefghijklmnop";

  private final Authority servers = new Authority("CN=Servers");
  private final Authority clients = new Authority("CN=Clients");
  private final List<ManagedChannel> channels = new ArrayList<>();

  @TempDir private Path folder;
  private Rig rig;

  @BeforeEach
  void write() throws IOException {
    servers.self().write(folder, "ca");
    servers.to("CN=gateway").dns("localhost").issue().write(folder, "tls");
    clients.self().write(folder, "clients");
    Files.writeString(
        folder.resolve("callers.yaml"),
        """
        callers:
          - {name: web, spiffe: ["spiffe://corp/ns/a/*"], methods: ["llm.v1.LLMService/*"]}
          - {name: batch, subjects: ["CN=batch,O=Corp"]}
          - {name: keyed, keys: ["%s"]}
        """
            .formatted(KeyHash.of(KEY).text()));
  }

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    rig.close();
  }

  private void start(String... more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("model", "simulated-model");
    settings.put("tls.cert", folder.resolve("tls.crt").toString());
    settings.put("tls.key", folder.resolve("tls.key").toString());
    settings.put("tls.client-ca", folder.resolve("clients.crt").toString());
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    rig = Rig.start(settings);
  }

  private void startWithList() {
    start("callers.file", folder.resolve("callers.yaml").toString());
  }

  private Channel as(Authority.Request certificate) throws IOException {
    String name = "client" + channels.size();
    certificate.issue().write(folder, name);
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress(
                "127.0.0.1",
                rig.port(),
                TlsChannelCredentials.newBuilder()
                    .trustManager(folder.resolve("ca.crt").toFile())
                    .keyManager(
                        folder.resolve(name + ".crt").toFile(),
                        folder.resolve(name + ".key").toFile())
                    .build())
            .overrideAuthority("localhost")
            .build();
    channels.add(channel);
    return channel;
  }

  private static Channel withKey(Channel channel, String key) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static Status.Code asked(Channel channel) {
    return AskedMethod.COMPLETE.ask(channel, "hello").code();
  }

  @Test
  void certificatesAreWhoTheListSaysTheyAre() throws IOException {
    startWithList();
    try (CallLog log = new CallLog()) {
      Channel web = as(clients.to("CN=x").uri("spiffe://corp/ns/a/sa/web"));
      Told told = AskedMethod.COMPLETE.ask(web, "hello").assertAnswered();
      String id = String.valueOf(told.trailer("x-request-id"));
      Eventually.within(Duration.ofSeconds(5)).assertThat("logged", () -> !log.of(id).isEmpty());
      assertEquals("web", log.of(id).peek().get("caller"));
      assertEquals(Status.Code.PERMISSION_DENIED, AskedMethod.GENERATE.ask(web, "hello").code());
    }
    assertEquals(Status.Code.OK, asked(as(clients.to("CN=batch,O=Corp"))));
    int before = rig.simulator().chats().size();
    for (Authority.Request stranger :
        List.of(
            clients.to("CN=batch"),
            clients.to("CN=batch,O=Corp").uri("spiffe://corp/ns/ab/sa/web"),
            clients.to("CN=batch,O=Corp").uri("spiffe://other/ns/a/sa/web"),
            clients
                .to("CN=batch,O=Corp")
                .uri("spiffe://corp/ns/a/sa/web")
                .uri("spiffe://corp/ns/a/sa/web2"))) {
      Channel channel = as(stranger);
      assertEquals(Status.Code.UNAUTHENTICATED, asked(channel));
      assertTrue(new HealthNames(channels.get(channels.size() - 1)).isServing());
    }
    for (Authority.Request refused :
        List.of(
            clients.to("CN=batch,O=Corp").serverOnly(),
            clients.to("CN=batch,O=Corp").until(Instant.now().minusSeconds(60)),
            new Authority("CN=Clients").to("CN=batch,O=Corp"))) {
      assertEquals(Status.Code.UNAVAILABLE, asked(as(refused)), "the handshake fails");
    }
    assertEquals(before, rig.simulator().chats().size());
  }

  @Test
  void whoIsTurnedAwayByTheHandshakeIsNoted() throws IOException {
    startWithList();
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger audit = (Logger) LoggerFactory.getLogger("audit");
    audit.addAppender(lines);
    try {
      Channel stranger = as(new Authority("CN=Clients").to("CN=batch,O=Corp"));
      Told refused = AskedMethod.COMPLETE.ask(stranger, "hello");
      assertEquals(Status.Code.UNAVAILABLE, refused.code());
      assertNoted(lines, "no authority of tls.client-ca has signed the certificate");
      asked(as(new Authority("CN=Strangers").to("CN=batch,O=Corp")));
      Eventually.within(Duration.ofSeconds(5))
          .assertThat(
              "both",
              () ->
                  List.copyOf(lines.list).stream()
                          .filter(line -> text(line).contains("no authority"))
                          .count()
                      >= 2);
      assertTrue(String.valueOf(refused.status().getCause()).contains("UNKNOWN_CA"), "the alert");
      asked(as(clients.to("CN=batch,O=Corp").until(Instant.now().minusSeconds(60))));
      assertNoted(lines, "NotAfter");
      try (Socket plain = new Socket("127.0.0.1", rig.port())) {
        plain.getOutputStream().write("PRI * HTTP/2.0 Bearer secret".getBytes(UTF_8));
        assertNoted(lines, "the peer does not speak TLS");
      }
      assertTrue(lines.list.stream().noneMatch(line -> text(line).contains("secret")));
    } finally {
      audit.detachAppender(lines);
    }
  }

  private static void assertNoted(ListAppender<ILoggingEvent> lines, String words) {
    Eventually.within(Duration.ofSeconds(5))
        .passes(
            () ->
                assertTrue(
                    List.copyOf(lines.list).stream().anyMatch(line -> text(line).contains(words)),
                    () -> List.copyOf(lines.list).stream().map(each -> text(each)).toList() + ""));
  }

  private static String text(ILoggingEvent line) {
    return line.getFormattedMessage() + line.getKeyValuePairs();
  }

  /** Java's own TLS resumes sessions; the server must know whose they are. */
  @Test
  void resumedSessionsAreTheSameCallers() throws IOException {
    startWithList();
    clients.to("CN=batch,O=Corp").issue().write(folder, "batch");
    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      SslContext resuming =
          GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
              .trustManager(folder.resolve("ca.crt").toFile())
              .keyManager(
                  folder.resolve("batch.crt").toFile(), folder.resolve("batch.key").toFile())
              .protocols(protocol)
              .build();
      for (int i = 0; i < 3; i++) {
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("localhost", rig.port()).sslContext(resuming).build();
        channels.add(channel);
        assertEquals(Status.Code.OK, asked(channel), protocol);
      }
    }
  }

  @Test
  void keyDecidesWhereBothAreShown() throws IOException {
    startWithList();
    Channel web = as(clients.to("CN=x").uri("spiffe://corp/ns/a/sa/web"));
    assertEquals(Status.Code.OK, AskedMethod.GENERATE.ask(withKey(web, KEY), "as keyed").code());
    assertEquals(Status.Code.UNAUTHENTICATED, asked(withKey(web, KEY + "x")));
    Channel stranger = as(clients.to("CN=nobody"));
    assertEquals(Status.Code.OK, asked(withKey(stranger, KEY)));
  }

  @Test
  void withoutAListEveryGoodCertificateIsLetInAndNamed() throws IOException {
    start();
    try (CallLog log = new CallLog()) {
      Channel web = as(clients.to("CN=x").uri("spiffe://corp/ns/zz"));
      String id =
          String.valueOf(
              AskedMethod.COMPLETE.ask(web, "hello").assertAnswered().trailer("x-request-id"));
      Eventually.within(Duration.ofSeconds(5)).assertThat("logged", () -> !log.of(id).isEmpty());
      assertEquals("spiffe://corp/ns/zz", log.of(id).peek().get("caller"));
    }
  }
}
