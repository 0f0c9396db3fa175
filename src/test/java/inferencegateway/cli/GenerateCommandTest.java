package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.llm.v1.CompleteRequest;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsServerCredentials;
import io.grpc.protobuf.StatusProto;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class GenerateCommandTest {

  private FakeGateway gateway;

  @BeforeEach
  void start() throws IOException {
    gateway = FakeGateway.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    gateway.close();
    gateway.awaitTermination();
  }

  @Test
  void answerGoesToStandardOutputAndFiguresBesideIt() {
    CliRun run = generate("Hi");
    assertEquals(0, run.code());
    assertEquals("Grüß Gott 世界\n", run.out());
    assertTrue(
        run.err()
            .matches(
                "(?s)\\[reasoning\\] hm\n\\[3 tokens in, 2 out, first token 7 ms, total"
                    + " [0-9.]+ s, finish: stop, model: m\\]\n"),
        run.err());
  }

  @Test
  void onlyWhatWasAskedForIsSent() {
    generate("Hi");
    CompleteRequest request = gateway.completes.remove();
    assertEquals("", request.getModel());
    assertFalse(request.hasMaxTokens());
    assertFalse(request.hasSampling());
    assertEquals(1, request.getMessagesCount());
  }

  @Test
  void everyOptionReachesTheRequest() {
    generate(
        "--system", "Be kind", "--model", "big", "--max-tokens", "7", "--temperature", "0", "@Hi");
    CompleteRequest request = gateway.completes.remove();
    assertEquals("big", request.getModel());
    assertEquals(7, request.getMaxTokens());
    assertTrue(request.getSampling().hasTemperature());
    assertEquals("system", request.getMessages(0).getRole());
    assertEquals("Be kind", request.getMessages(0).getContent());
    assertEquals("user", request.getMessages(1).getRole());
    assertEquals("@Hi", request.getMessages(1).getContent());
  }

  @Test
  void smallContractIsSpokenToo() {
    CliRun run =
        generate(
            "--contract",
            "inference",
            "--temperature",
            "0.5",
            "--max-tokens",
            "7",
            "--model",
            "x",
            "Hi");
    assertEquals("ab\n", run.out());
    assertTrue(run.err().contains("finish: length"), run.err());
    assertEquals(
        GenerateRequest.newBuilder()
            .addMessages(FakeGateway.message("user", "Hi"))
            .setModel("x")
            .setMaxTokens(7)
            .setTemperature(0.5f)
            .build(),
        gateway.generates.remove());
  }

  @Test
  void answerCanComeWhole() {
    for (String contract : new String[] {"llm", "inference"}) {
      CliRun run = generate("--no-stream", "--contract", contract, "Hi");
      assertEquals("whole\n", run.out());
      assertTrue(run.err().startsWith("[3 tokens in, 2 out, total "), run.err());
    }
  }

  @Test
  void promptCanComeFromStandardInput() {
    String[] args = {"generate", "--target", gateway.target(), "-"};
    assertEquals(0, CliRun.with(CliRun.NOTHING, Map.of(), "long\nprompt", args).code());
    assertEquals("long\nprompt", gateway.completes.remove().getMessages(0).getContent());
  }

  @Test
  void whatIsNoTextIsNoPrompt() {
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(new StringWriter()),
            new PrintWriter(err),
            new ByteArrayInputStream(new byte[] {(byte) 0xff, 'a'}),
            Map.of());
    String[] args = {"generate", "--target", gateway.target(), "-"};
    assertEquals(2, Cli.run(args, CliRun.NOTHING, terminal));
    assertTrue(err.toString().contains("no text in UTF-8"), err.toString());
    assertTrue(gateway.completes.isEmpty());
  }

  @Test
  void jsonIsOneMessageALine() {
    CliRun run = generate("--json", "Hi");
    assertEquals(
        """
        {"reasoning":"hm"}
        {"token":"Grüß "}
        {"token":"Gott 世界"}
        {"done":true,"usage":{"input_tokens":3,"output_tokens":2},"model":"m","finish":{"raw":"stop"},"timing":{"first_token":"0.007s"}}
        """,
        run.out());
  }

  @Test
  void failureTellsAllThatIsKnownAndTheExitCodeTheStatus() {
    gateway.failWith(
        FakeGateway.withTrailers(
            rich(
                Code.INVALID_ARGUMENT,
                "bad\nrequest",
                ErrorInfo.newBuilder().setReason("INVALID_REQUEST").build(),
                BadRequest.newBuilder()
                    .addFieldViolations(
                        BadRequest.FieldViolation.newBuilder()
                            .setField("max_tokens")
                            .setDescription("must be 1 or more"))
                    .build()),
            "x-request-id",
            "r-1",
            "grpc-retry-pushback-ms",
            "-1"));
    CliRun run = generate("Hi");
    assertEquals(13, run.code());
    assertEquals("", run.out());
    assertEquals(
        """
        error: INVALID_ARGUMENT (INVALID_REQUEST): bad request
          max_tokens: must be 1 or more
          request id: r-1
          retry: no use
        """,
        run.err());
  }

  @Test
  void fieldThatTheMessageNamesIsNotSaidTwice() {
    BadRequest.FieldViolation tokens = violation("max_tokens", "must be 1 or more");
    BadRequest.FieldViolation model = violation("model", "is too long");
    assertEquals(
        "error: INVALID_ARGUMENT: max_tokens: must be 1 or more\n",
        refusal("max_tokens: must be 1 or more", tokens));
    assertEquals(
        """
        error: INVALID_ARGUMENT: max_tokens: must be 1 or more (and 1 more)
          max_tokens: must be 1 or more
          model: is too long
        """,
        refusal("max_tokens: must be 1 or more (and 1 more)", tokens, model));
  }

  private String refusal(String message, BadRequest.FieldViolation... fields) {
    BadRequest bad = BadRequest.newBuilder().addAllFieldViolations(Arrays.asList(fields)).build();
    gateway.failWith(rich(Code.INVALID_ARGUMENT, message, bad));
    return generate("Hi").err();
  }

  private static BadRequest.FieldViolation violation(String field, String description) {
    return BadRequest.FieldViolation.newBuilder()
        .setField(field)
        .setDescription(description)
        .build();
  }

  @Test
  void failureThatMayBeRetriedSaysWhen() {
    gateway.failWith(
        rich(
            Code.UNAVAILABLE,
            "backend down",
            ErrorInfo.newBuilder().setReason("UPSTREAM_CONNECT").build(),
            RetryInfo.newBuilder().setRetryDelay(Durations.fromMillis(1500)).build()));
    CliRun run = generate("--no-stream", "Hi");
    assertEquals(24, run.code());
    assertEquals(
        "error: UNAVAILABLE (UPSTREAM_CONNECT): backend down\n  retry: after 1500 ms\n", run.err());
  }

  @Test
  void deadlineEndsTheCallAndKeepsWhatCame() {
    gateway.hang();
    CliRun run = generate("--deadline", "400ms", "Hi");
    assertEquals(14, run.code());
    assertEquals("Grüß \n", run.out());
    assertTrue(
        run.err()
            .endsWith("error: DEADLINE_EXCEEDED: the time was over before the answer was whole\n"),
        run.err());
  }

  @Test
  void timeIsOverAlsoWhereNobodyAnswersTheDialling() throws IOException {
    try (ServerSocket silent = new ServerSocket(0)) {
      String target = "127.0.0.1:" + silent.getLocalPort();
      CliRun run = CliRun.of("generate", "--deadline", "300ms", "--target", target, "Hi");
      assertEquals(14, run.code());
      assertEquals(
          "error: DEADLINE_EXCEEDED: the time was over before there was a connection\n", run.err());
    }
  }

  @Test
  void ctrlCCancelsTheCall() throws Exception {
    gateway.hang();
    Thread signals = new Thread(this::interruptWhenHanging);
    signals.start();
    CliRun run = generate("Hi");
    signals.join();
    assertEquals(130, run.code());
    assertTrue(run.err().endsWith("cancelled\n"), run.err());
    assertTrue(gateway.cancelled.await(5, TimeUnit.SECONDS));
  }

  @Test
  void closedOutputCancelsTheCall() throws InterruptedException {
    gateway.hang();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(new ClosedPipe()),
            new PrintWriter(err),
            InputStream.nullInputStream(),
            Map.of());
    String[] args = {"generate", "--target", gateway.target(), "Hi"};
    assertEquals(1, Cli.run(args, CliRun.NOTHING, terminal), err.toString());
    assertTrue(gateway.cancelled.await(5, TimeUnit.SECONDS));
  }

  /** As {@code generate ... | head} leaves it. */
  private static final class ClosedPipe extends Writer {
    @Override
    public void write(char[] text, int from, int length) throws IOException {
      throw new IOException("Broken pipe");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** As a terminal would; the command has installed its own handler by then. */
  private void interruptWhenHanging() {
    try {
      if (gateway.hanging.await(10, TimeUnit.SECONDS)) {
        Signals.raise("INT");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void nobodyThereIsSaidWithWhatToDo() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    CliRun run = CliRun.of("generate", "--target", "localhost:" + free, "Hi");
    assertEquals(24, run.code());
    assertTrue(run.err().contains("Connection refused"), run.err());
    assertTrue(run.err().contains("Is the gateway running at localhost:" + free + "?"), run.err());
  }

  @Test
  void authorityThatIsNotTrustedIsSaidInOneSentence() throws Exception {
    Path files = Path.of("src/test/resources/tls/server");
    try (FakeGateway tls =
        FakeGateway.start(
            TlsServerCredentials.create(
                files.resolve("server.crt").toFile(), files.resolve("server.key").toFile()),
            0)) {
      CliRun run = CliRun.of("generate", "--tls", "--target", tls.target(), "Hi");
      assertEquals(24, run.code());
      assertTrue(
          run.err()
              .startsWith(
                  "error: UNAVAILABLE: unable to find valid certification path to requested"
                      + " target\n"),
          run.err());
      tls.stopNow();
      tls.awaitTermination();
    }
  }

  @Test
  void tlsToAPortWithoutItIsSaidWithoutADump() {
    CliRun run = generate("--tls", "Hi");
    assertEquals(24, run.code());
    assertFalse(run.err().contains("Pipeline"), run.err());
    assertTrue(run.err().contains("does --tls say what it speaks?"), run.err());
    assertTrue(run.err().lines().findFirst().orElseThrow().length() < 100, run.err());
  }

  @Test
  void misuseIsToldWithoutACall() {
    assertMisused("Missing required parameter: 'PROMPT'", "generate");
    assertMisused("did you mean --max-tokens?", "generate", "--max-token", "5", "Hi");
    assertMisused("such as 500ms", "generate", "--deadline", "60", "Hi");
    assertMisused("longer than 0s", "generate", "--deadline", "0s", "Hi");
    assertMisused("'x' is not an int", "generate", "--max-tokens", "x", "Hi");
    assertMisused("--contract", "generate", "--contract", "x", "Hi");
    assertMisused("without http://", "generate", "--target", "http://localhost:1", "Hi");
    assertMisused("need each other", "generate", "--tls-cert", "/x", "Hi");
    assertMisused("/no/such", "generate", "--tls-ca", "/no/such", "Hi");
  }

  private static void assertMisused(String message, String... args) {
    CliRun run = CliRun.of(args);
    assertEquals(2, run.code(), run.err());
    assertTrue(run.err().contains(message), run.err());
    assertFalse(run.err().contains("\tat "), run.err());
  }

  private CliRun generate(String... options) {
    String[] args =
        Stream.concat(Stream.of("generate", "--target", gateway.target()), Arrays.stream(options))
            .toArray(String[]::new);
    return CliRun.of(args);
  }

  private static StatusRuntimeException rich(
      Code code, String message, com.google.protobuf.Message... details) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder().setCode(code.getNumber()).setMessage(message);
    Arrays.stream(details).map(Any::pack).forEach(status::addDetails);
    return StatusProto.toStatusRuntimeException(status.build());
  }
}
