package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.auth.KeyHash;
import inferencegateway.proto.inference.HealthRequest;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.CapturedMetadata;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import inferencegateway.testing.RecordingObserver;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** S2, S3, P25, P38: who is listed is served, who is not is not, and no key is ever written. */
class WhoMayCallTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final String SHOP_KEY = "igw_shop-0123456789abcdefghijklmnop";
  private static final String SHOP_NEXT = "igw_shop-next-0123456789abcdefghijk";
  private static final String BATCH_KEY = "igw_batch-0123456789abcdefghijklmn";
  private static final String STRAY_KEY = "igw_stray-0123456789abcdefghijklmn";

  @TempDir private Path folder;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Level before = own().getLevel();
  private Rig rig;

  @BeforeEach
  void start() throws IOException {
    log.start();
    root().addAppender(log);
    own().setLevel(Level.DEBUG);
    write(callers(SHOP_KEY));
    rig =
        Rig.start(
            Map.of(
                "callers.file", folder.resolve("callers.yaml").toString(),
                "reload.interval", "10ms",
                "model", "simulated-model",
                "listen", "127.0.0.1:0"));
  }

  @AfterEach
  void stop() {
    rig.close();
    root().detachAppender(log);
    own().setLevel(before);
    // The library's DEBUG lines hold every frame; the gateway never turns them on.
    log.list.stream()
        .filter(
            line ->
                !line.getLoggerName().startsWith("io.grpc")
                    || line.getLevel().isGreaterOrEqual(Level.INFO))
        .forEach(line -> assertNothingOfAKeyIsIn(text(line)));
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger("ROOT");
  }

  private static Logger own() {
    return (Logger) LoggerFactory.getLogger("inferencegateway");
  }

  private static String text(ILoggingEvent event) {
    return event.getFormattedMessage()
        + event.getKeyValuePairs()
        + (event.getThrowableProxy() == null ? "" : event.getThrowableProxy().getMessage());
  }

  private static void assertNothingOfAKeyIsIn(String text) {
    for (String key : List.of(SHOP_KEY, SHOP_NEXT, BATCH_KEY, STRAY_KEY)) {
      assertFalse(text.contains(key.substring(0, 8)), text);
      assertFalse(text.contains(KeyHash.of(key).text().substring(7, 17)), text);
    }
  }

  private void write(String yaml) throws IOException {
    Path next = Files.writeString(folder.resolve("next"), yaml);
    Files.move(next, folder.resolve("callers.yaml"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static String callers(String shopKey) {
    return """
    callers:
      - {name: shop, keys: ["%s"]}
      - name: batch
        keys: ["%s"]
        models: ["llama-*"]
        methods: ["llm.v1.LLMService/CompleteStream", "inference.InferenceService/*"]
    """
        .formatted(KeyHash.of(shopKey).text(), KeyHash.of(BATCH_KEY).text());
  }

  private Channel as(String key) {
    return with("authorization", "Bearer " + key);
  }

  private Channel with(String name, String value) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    return ClientInterceptors.intercept(
        rig.callers().channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private Channel asNobody() {
    return rig.callers().channel();
  }

  /** Lines of the logger {@code audit}, by their values. */
  private List<Map<String, String>> audited() {
    return lines("audit");
  }

  private List<Map<String, String>> lines(String logger) {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLoggerName().equals(logger))
        .map(WhoMayCallTest::pairs)
        .toList();
  }

  private static Map<String, String> pairs(ILoggingEvent event) {
    Map<String, String> pairs = new TreeMap<>();
    event.getKeyValuePairs().forEach(pair -> pairs.put(pair.key, String.valueOf(pair.value)));
    return pairs;
  }

  private void assertNoContact() {
    assertEquals(0, rig.simulator().chats().size());
    assertEquals(0, rig.gateway().runningCalls());
  }

  @ParameterizedTest
  @EnumSource(AskedMethod.class)
  void whoIsNotKnownIsToldSoAtOnceAndNothingElseHappens(AskedMethod method) {
    for (Channel caller :
        List.of(asNobody(), as(STRAY_KEY), with("authorization", "Basic " + STRAY_KEY))) {
      Told told = method.ask(caller, "hello").assertFullyExplained();
      assertEquals(Status.Code.UNAUTHENTICATED, told.code());
      assertEquals("UNAUTHENTICATED", told.reason());
      assertTrue(told.trailersOnly());
      assertEquals(Optional.empty(), told.retryMillis());
      assertEquals("admission", told.said("phase"));
      assertNothingOfAKeyIsIn(told.summary());
    }
    assertNoContact();
    List<Map<String, String>> lines = audited();
    assertEquals(
        List.of("none", "key", "key"), lines.stream().map(l -> l.get("credential")).toList());
    assertEquals(
        List.of("no credential", "unknown key", "authorization is not Bearer and a key"),
        lines.stream().map(line -> line.get("detail")).toList());
    assertTrue(lines.get(0).get("peer").startsWith("/127.0.0.1:"), lines::toString);
    assertTrue(lines.get(0).get("method").contains("Service/"), lines::toString);
    assertFalse(lines.get(0).containsKey("caller"), lines::toString);
  }

  @ParameterizedTest
  @EnumSource(AskedMethod.class)
  void whoIsListedIsServedAndNamedInTheLog(AskedMethod method) {
    method.ask(as(SHOP_KEY), "hello").assertAnswered();
    Map<String, String> line =
        Eventually.within(LONG)
            .get(
                () ->
                    List.copyOf(log.list).stream()
                        .filter(event -> event.getLoggerName().equals("inferencegateway.call"))
                        .map(WhoMayCallTest::pairs)
                        .findFirst()
                        .orElse(null));
    assertEquals("shop", line.get("caller"));
    assertEquals(List.of(), audited());
  }

  /** Nothing of the request is waited for. */
  @Test
  void denialComesBeforeTheRequest() {
    try (RawH2 connection = RawH2.connect(rig.port())) {
      RawStream stream =
          connection
              .call("/llm.v1.LLMService/CompleteStream")
              .with("authorization", "Bearer " + STRAY_KEY)
              .open()
              .awaitEnd(LONG);
      assertEquals("16", stream.trailers().get("grpc-status"));
      assertEquals("UNAUTHENTICATED", ErrorDetails.of(stream.trailers()).reason());
      assertEquals(1, stream.headerFrames().size());
      RawStream twice =
          connection
              .call("/llm.v1.LLMService/Complete")
              .header("authorization", "Bearer " + SHOP_KEY)
              .header("authorization", "Bearer " + SHOP_KEY)
              .open()
              .awaitEnd(LONG);
      assertEquals("16", twice.trailers().get("grpc-status"));
    }
    assertNoContact();
  }

  @Test
  void methodsAndModelsOfOthersAreRefused() {
    Told method = AskedMethod.COMPLETE.ask(as(BATCH_KEY), "hello").assertFullyExplained();
    assertEquals(Status.Code.PERMISSION_DENIED, method.code());
    Told model = AskedMethod.COMPLETE_STREAM.ask(as(BATCH_KEY), "hello").assertFullyExplained();
    assertEquals(Status.Code.PERMISSION_DENIED, model.code());
    assertEquals("caller batch may not use model simulated-model", model.status().getDescription());
    assertNoContact();
    assertEquals(List.of("batch", "batch"), audited().stream().map(l -> l.get("caller")).toList());
    assertEquals("simulated-model", audited().get(1).get("model"));
    assertEquals("simulated-model", lines("inferencegateway.call").get(0).get("model"));

    Told allowed =
        ask(
            as(BATCH_KEY),
            AskedMethod.complete("hello").toBuilder().setModel("llama-unknown").build());
    assertEquals("MODEL_NOT_FOUND", allowed.reason(), "allowed, and unknown to the backend");
  }

  private static Told ask(Channel channel, CompleteRequest request) {
    Told.Collector told = new Told.Collector(new CapturedMetadata(channel));
    try {
      LLMServiceGrpc.newBlockingStub(channel)
          .completeStream(request)
          .forEachRemaining(chunk -> told.piece(chunk.getToken(), ""));
      return told.completed();
    } catch (StatusRuntimeException e) {
      return told.failed(e);
    }
  }

  @Test
  void healthIsForEverybodyAndReflectionForTheKnown() {
    assertTrue(new HealthNames(rig.callers().channel()).isServing());
    assertEquals(Status.Code.UNAUTHENTICATED, reflection(asNobody()));
    assertEquals(Status.Code.OK, reflection(as(BATCH_KEY)), "whatever its methods are");
    assertEquals(
        Status.Code.UNAUTHENTICATED,
        assertThrows(
                StatusRuntimeException.class,
                () ->
                    InferenceServiceGrpc.newBlockingStub(asNobody())
                        .health(HealthRequest.getDefaultInstance()))
            .getStatus()
            .getCode(),
        "it names the model");
    InferenceServiceGrpc.newBlockingStub(as(SHOP_KEY)).health(HealthRequest.getDefaultInstance());
  }

  private static Status.Code reflection(Channel channel) {
    RecordingObserver<ServerReflectionRequest, ServerReflectionResponse> answers =
        RecordingObserver.eager();
    var asked = ServerReflectionGrpc.newStub(channel).serverReflectionInfo(answers);
    asked.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    asked.onCompleted();
    return answers.awaitEnd(LONG).getCode();
  }

  @Test
  void strangersDoNotLearnWhichMethodsThereAre() {
    try (RawH2 connection = RawH2.connect(rig.port())) {
      RawStream unknown = connection.call("/no.Such/Method").open().awaitEnd(LONG);
      assertEquals("16", unknown.trailers().get("grpc-status"));
      RawStream known =
          connection
              .call("/no.Such/Method")
              .with("authorization", "Bearer " + SHOP_KEY)
              .open()
              .awaitEnd(LONG);
      assertEquals("12", known.trailers().get("grpc-status"));
      RawStream health = connection.call("/grpc.health.v1.HealthX/Check").open().awaitEnd(LONG);
      assertEquals("16", health.trailers().get("grpc-status"));
    }
  }

  @Test
  void listIsReadAgainWhenAskedTo() throws IOException {
    rig.close();
    rig =
        Rig.start(
            Map.of(
                "callers.file", folder.resolve("callers.yaml").toString(),
                "reload.interval", "0s",
                "model", "simulated-model"));
    write(callers(SHOP_NEXT));
    AskedMethod.COMPLETE.ask(as(SHOP_KEY), "nobody has asked yet").assertAnswered();
    rig.gateway().reload();
    Eventually.within(LONG)
        .assertThat(
            "the new key is known",
            () -> AskedMethod.COMPLETE.ask(as(SHOP_NEXT), "hello").code() == Status.Code.OK);
  }

  @Test
  void keysChangeWhileAnAnswerRuns() throws IOException {
    rig.close();
    rig =
        Rig.start(
            simulator -> simulator.withPace(Duration.ZERO, Duration.ofMillis(20)),
            Map.of(
                "callers.file", folder.resolve("callers.yaml").toString(),
                "reload.interval", "10ms",
                "model", "simulated-model"));
    RecordingObserver<CompleteRequest, TokenChunk> running = RecordingObserver.eager();
    LLMServiceGrpc.newStub(as(SHOP_KEY)).completeStream(AskedMethod.complete("go on"), running);
    running.awaitMessages(1, LONG);
    write("callers: [{name: broken, keys: [x]}]");
    AskedMethod.COMPLETE.ask(as(SHOP_KEY), "the old list is in force").assertAnswered();
    write(callers(SHOP_NEXT));
    Eventually.within(LONG)
        .assertThat(
            "the new key is known",
            () -> AskedMethod.COMPLETE.ask(as(SHOP_NEXT), "hello").code() == Status.Code.OK);
    assertEquals(
        Status.Code.UNAUTHENTICATED, AskedMethod.COMPLETE.ask(as(SHOP_KEY), "hello").code());
    assertTrue(running.awaitEnd(LONG).isOk(), "what runs goes on");
  }
}
