package inferencegateway.bench;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts what is measured, on loopback, and returns when it serves. */
final class Servers {

  static final String MODEL = "simulated-model";
  private static final Duration START = Duration.ofSeconds(30);
  private static final String MANY = "10000";

  private final List<String> jvmFlags;

  /**
   * @param jvmFlags of the gateway's process
   */
  Servers(List<String> jvmFlags) {
    this.jvmFlags = jvmFlags;
  }

  /** A process and the port it serves on. */
  record Served(String name, Child child, int port) implements AutoCloseable {
    @Override
    public void close() {
      child.close();
    }
  }

  Served simulator() throws IOException, InterruptedException {
    return simulator(MANY, "0");
  }

  Served simulator(String slots, String ttft) throws IOException, InterruptedException {
    List<String> arguments =
        List.of("simulate", "--port", "0", "--model", MODEL, "--slots", slots, "--ttft", ttft);
    Child child =
        Child.start(
            "simulator",
            OwnJava.command(List.of("-Xmx1g"), arguments),
            line -> line.startsWith("simulating"));
    return announced("simulator", child);
  }

  /** With room for all. */
  Served gateway(int backend) throws IOException, InterruptedException {
    return gateway(backend, "--admission-running=" + MANY);
  }

  /** Its log is at WARN: a line per call belongs to calls, not to tokens. */
  Served gateway(int backend, String admission) throws IOException, InterruptedException {
    return gateway(
        backend, List.of(admission, "--metrics-listen=127.0.0.1:0", "--log-level=warn"), Map.of());
  }

  /**
   * @param more arguments
   * @param environment beside this process's own
   */
  Served gateway(int backend, List<String> more, Map<String, String> environment)
      throws IOException, InterruptedException {
    int port = freePort();
    List<String> arguments = new ArrayList<>();
    arguments.add("serve");
    arguments.add("--listen=127.0.0.1:" + port);
    arguments.add("--backend=http://127.0.0.1:" + backend + "/v1");
    arguments.add("--model=" + MODEL);
    if (more.stream().noneMatch(said -> said.startsWith("--admin-listen"))) {
      arguments.add("--admin-listen=off");
    }
    arguments.add("--drain-pause=0s");
    arguments.add("--drain-grace=0s");
    arguments.addAll(more);
    Child child =
        Child.start("gateway", OwnJava.command(jvmFlags, arguments), environment, line -> false);
    Served gateway = new Served("gateway", child, port);
    awaitServing(gateway);
    return gateway;
  }

  /** nginx where it is installed, else a proxy of our own that does nothing but copy. */
  Served floor(int backend) throws IOException, InterruptedException {
    if (Nginx.isInstalled()) {
      int port = freePort();
      return new Served("nginx", Nginx.start(port, backend, START), port);
    }
    List<String> arguments = List.of(CopyProxyCommand.NAME, "--to", Integer.toString(backend));
    Child child =
        Child.start(
            "copy-proxy",
            OwnJava.command(List.of("-Xmx512m"), arguments),
            line -> line.startsWith("copying"));
    return announced("copy-proxy", child);
  }

  /** Both say {@code ...127.0.0.1:PORT...}. */
  private static Served announced(String name, Child child)
      throws IOException, InterruptedException {
    try {
      String after = child.line(START).replaceFirst(".*127\\.0\\.0\\.1:", "");
      return new Served(name, child, Integer.parseInt(after.replaceFirst("\\D.*", "")));
    } catch (IOException | InterruptedException | RuntimeException e) {
      child.close();
      throw e;
    }
  }

  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static void awaitServing(Served gateway) throws IOException, InterruptedException {
    String target = "127.0.0.1:" + gateway.port();
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    long end = System.nanoTime() + START.toNanos();
    try {
      while (!isServing(channel)) {
        if (System.nanoTime() - end > 0 || !gateway.child().isAlive()) {
          gateway.close();
          throw new IOException("the gateway did not start; it said:\n" + gateway.child().said());
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static boolean isServing(ManagedChannel channel) {
    try {
      return HealthGrpc.newBlockingStub(channel)
              .withWaitForReady()
              .withDeadlineAfter(1, TimeUnit.SECONDS)
              .check(HealthCheckRequest.getDefaultInstance())
              .getStatus()
          == ServingStatus.SERVING;
    } catch (StatusRuntimeException notYet) {
      return false;
    }
  }
}
