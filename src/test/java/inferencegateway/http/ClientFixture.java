package inferencegateway.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.BackendTls;
import inferencegateway.config.BackendUrl;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Loops and clients of one test, closed in reverse. */
final class ClientFixture implements AutoCloseable {
  static final Duration CONNECT = Duration.ofSeconds(2);
  static final Duration IDLE = Duration.ofSeconds(2);

  final Loops loops;
  private final List<HttpClient> clients = new ArrayList<>();

  ClientFixture() {
    this(new Loops("test-loop", 1));
  }

  ClientFixture(Loops loops) {
    this.loops = loops;
    loops.start();
  }

  HttpClient client(int port) {
    return client("127.0.0.1", port);
  }

  HttpClient client(String host, int port) {
    return client(tcp(host, port, false), CONNECT, IDLE);
  }

  HttpClient client(BackendUrl backend, Duration connect, Duration idle) {
    return started(new HttpClient(loops, backend, tls(backend, BackendTls.DEFAULT), connect, idle));
  }

  HttpClient client(BackendUrl backend, Duration connect, BackendLink.Names names) {
    return started(
        new HttpClient(loops, backend, tls(backend, BackendTls.DEFAULT), connect, IDLE, names));
  }

  HttpClient client(
      BackendUrl backend, Duration connect, BackendLink.Names names, UpstreamTls tls) {
    return started(new HttpClient(loops, backend, tls, connect, IDLE, names));
  }

  static UpstreamTls tls(BackendUrl backend, BackendTls config) {
    try {
      return UpstreamTls.open("upstream.tls", backend, config);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private HttpClient started(HttpClient client) {
    client.start();
    clients.add(client);
    return client;
  }

  static BackendUrl tcp(String host, int port, boolean secure) {
    String text = (secure ? "https://" : "http://") + host + ":" + port + "/v1";
    return new BackendUrl(text, secure, host, port, null, "/v1");
  }

  static BackendUrl unix(String path) {
    return new BackendUrl("unix:" + path, false, "", 0, path, "/v1");
  }

  Recorder get(HttpClient client) {
    Recorder recorder = new Recorder();
    get(client, recorder);
    return recorder;
  }

  Exchange get(HttpClient client, ResponseHandler handler) {
    return client.send(loops.next(), request("GET", 0), handler);
  }

  Exchange post(HttpClient client, int bytes, ResponseHandler handler) {
    return client.send(loops.next(), request("POST", bytes), handler);
  }

  static HttpRequest request(String method, int bytes) {
    return new HttpRequest(
        method, "/v1/models", Map.of("accept", "application/json"), new byte[bytes]);
  }

  /** Polls, bounded. */
  static void eventually(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() < end) {
      Thread.onSpinWait();
      Thread.yield();
    }
    assertTrue(condition.getAsBoolean(), what);
  }

  @Override
  public void close() {
    clients.forEach(HttpClient::close);
    loops.close();
  }
}
