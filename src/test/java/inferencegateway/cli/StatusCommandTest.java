package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import inferencegateway.proto.admin.v1.AdminGrpc;
import inferencegateway.proto.admin.v1.Backend;
import inferencegateway.proto.admin.v1.Call;
import inferencegateway.proto.admin.v1.CallerShare;
import inferencegateway.proto.admin.v1.CancelCallRequest;
import inferencegateway.proto.admin.v1.CancelCallResponse;
import inferencegateway.proto.admin.v1.Ended;
import inferencegateway.proto.admin.v1.EngineLoad;
import inferencegateway.proto.admin.v1.Lately;
import inferencegateway.proto.admin.v1.ListCallsRequest;
import inferencegateway.proto.admin.v1.ListCallsResponse;
import inferencegateway.proto.admin.v1.Queue;
import inferencegateway.proto.admin.v1.StatusRequest;
import inferencegateway.proto.admin.v1.StatusResponse;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StatusCommandTest {

  private static final StatusResponse STATUS =
      StatusResponse.newBuilder()
          .setVersion("9.8.7")
          .setStarted(Timestamp.newBuilder().setSeconds(Instant.now().getEpochSecond() - 93_784))
          .addNotReadyBecause("short of memory or files")
          .setCalls(40)
          .setWaiting(3)
          .setWaitingLimit(256)
          .setConnections(7)
          .setConnectionsLimit(10_000)
          .setHeapUsedBytes(300L << 20)
          .setHeapMaxBytes(1L << 30)
          .setUtilization(1.08)
          .addBackends(
              Backend.newBuilder()
                  .setName("gpu-1")
                  .setState(Backend.State.STATE_UP)
                  .setRunning(37)
                  .setLimit(37)
                  .setEngine(
                      EngineLoad.newBuilder().setRunning(36).setWaiting(1).setKvCacheUsage(0.914))
                  .addModels("llama"))
          .addBackends(
              Backend.newBuilder()
                  .setName("gpu-2")
                  .setState(Backend.State.STATE_PUT_ASIDE)
                  .setLimit(256)
                  .setLately(
                      Lately.newBuilder()
                          .setAttempts(300)
                          .setFailed(299)
                          .setLate(1)
                          .setLastFailure("UPSTREAM_AUTH")))
          .addQueues(
              Queue.newBuilder()
                  .setModel("llama")
                  .setWaiting(3)
                  .setOldest(Durations.fromMillis(2_340)))
          .addCallers(CallerShare.newBuilder().setCaller("shop").setCalls(38).setWaiting(3))
          .addEnded(Ended.newBuilder().setOutcome("ok").setCalls(1_234))
          .addEnded(Ended.newBuilder().setOutcome("shed").setCalls(5))
          .build();

  private static final ListCallsResponse CALLS =
      ListCallsResponse.newBuilder()
          .setTotal(3)
          .addCalls(
              Call.newBuilder()
                  .setRequestId("abc-1")
                  .setMethod("llm.v1.LLMService/CompleteStream")
                  .setPeer("/10.0.0.1:4711")
                  .setModel("evil\u001b[2Jname")
                  .setPhase("queued")
                  .setAge(Durations.fromSeconds(75)))
          .addCalls(
              Call.newBuilder()
                  .setRequestId("x".repeat(128))
                  .setMethod("llm.v1.LLMService/Complete")
                  .setCaller("shop")
                  .setModel("llama")
                  .setBackend("gpu-1")
                  .setPhase("decode")
                  .setAge(Durations.fromMillis(1_250))
                  .setTimeLeft(Durations.fromSeconds(29))
                  .setTokens(42))
          .build();

  private Server server;
  private String target;
  private volatile int cancelled = 1;

  @BeforeEach
  void start() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new Admin())
            .build()
            .start();
    target = "127.0.0.1:" + server.getPort();
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.shutdownNow().awaitTermination();
  }

  private CliRun run(String... more) {
    String[] args = new String[more.length + 3];
    args[0] = "status";
    args[1] = "--admin";
    args[2] = target;
    System.arraycopy(more, 0, args, 3, more.length);
    return CliRun.of(args);
  }

  @Test
  void oneScreenTellsAll() {
    assertEquals(
        new CliRun(
            0,
            """
            NOT READY: short of memory or files   inference-gateway 9.8.7, up 1d2h
            calls: 40, 3 of them waiting (at most 256 for each set of backends)   utilization: 108 %
            connections: 7 of 10000   heap: 300 of 1024 MiB
            ended since the start: ok 1234, shed 5

            BACKEND  STATE      CALLS  LIMIT  FAILED              LATE  ITS RUNNING  ITS QUEUE  KV CACHE  MODELS
            gpu-1    up         37     37     -                   -     36           1          91 %      llama
            gpu-2    PUT ASIDE  0      256    99 % UPSTREAM_AUTH  1 %   -            -          -         -

            QUEUE OF  WAITING  OLDEST
            llama     3        2.3s

            CALLER  CALLS  WAITING
            shop    38     3
            """,
            ""),
        run());
  }

  @Test
  void callsAreListedAndNothingInThemSteersTheTerminal() {
    CliRun run = run("--calls");
    assertEquals(0, run.code());
    assertTrue(run.out().contains("abc-1"), run.out());
    assertTrue(run.out().contains("1m15s"), run.out());
    assertTrue(run.out().contains("evil?[2Jname"), run.out());
    assertTrue(run.out().contains("x".repeat(128)), "an id that is cut cannot be cancelled");
    assertTrue(run.out().contains("and 1 younger ones"), run.out());
    assertFalse(run.out().contains("\u001b"), "an escape got through");
  }

  @Test
  void jsonIsOneDocument() throws IOException {
    JsonNode status = new ObjectMapper().readTree(run("--json").out());
    assertEquals("9.8.7", status.path("version").asText());
    assertEquals(37, status.path("backends").path(0).path("limit").asInt());
    JsonNode calls = new ObjectMapper().readTree(run("--json", "--calls").out());
    assertEquals("decode", calls.path("calls").path(1).path("phase").asText());
    assertEquals("1.250s", calls.path("calls").path(1).path("age").asText());
  }

  @Test
  void cancelSaysWhatCameOfIt() {
    assertEquals(new CliRun(0, "ended\n", ""), run("--cancel", "abc-1"));
    cancelled = 2;
    assertEquals(new CliRun(0, "ended: 2 calls with that id\n", ""), run("--cancel", "abc-1"));
    cancelled = 0;
    assertEquals(
        new CliRun(1, "", "no call with request id abc-1 runs now\n"), run("--cancel", "abc-1"));
  }

  @Test
  void nobodyThereIsOneAndSaid() throws InterruptedException {
    server.shutdownNow().awaitTermination();
    CliRun run = run();
    assertEquals(1, run.code());
    assertTrue(run.err().startsWith("error: nobody answers at " + target), run.err());
    assertTrue(run.err().contains("admin-listen"), run.err());
  }

  @Test
  void anAddressThatIsNoneIsTwo() {
    assertEquals(2, CliRun.of("status", "--admin", "http://x/").code());
  }

  private final class Admin extends AdminGrpc.AdminImplBase {
    @Override
    public void status(StatusRequest request, StreamObserver<StatusResponse> answer) {
      answer.onNext(STATUS);
      answer.onCompleted();
    }

    @Override
    public void listCalls(ListCallsRequest request, StreamObserver<ListCallsResponse> answer) {
      answer.onNext(CALLS);
      answer.onCompleted();
    }

    @Override
    public void cancelCall(CancelCallRequest request, StreamObserver<CancelCallResponse> answer) {
      answer.onNext(CancelCallResponse.newBuilder().setCancelled(cancelled).build());
      answer.onCompleted();
    }
  }
}
