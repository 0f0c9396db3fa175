package inferencegateway.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/** A collector of spans: OTLP over HTTP, protobuf, and over gRPC, each on a port of its own. */
public final class Collector implements AutoCloseable {

  /** How it takes what it gets. */
  public enum Mood {
    TAKES,
    /** For good: nobody tries again. */
    REFUSES,
    /** Answers nothing until it is closed. */
    HANGS
  }

  private static final String PATH = "/v1/traces";

  private final HttpServer server;
  private final Server grpc;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ExportTraceServiceRequest> taken = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Mood mood = Mood.TAKES;

  private Collector() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(PATH, this::take);
    server.setExecutor(threads);
    server.start();
    grpc = overGrpc();
  }

  private Server overGrpc() {
    try {
      return NettyServerBuilder.forAddress(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
          .addService(
              new TraceServiceGrpc.TraceServiceImplBase() {
                @Override
                public void export(
                    ExportTraceServiceRequest request,
                    StreamObserver<ExportTraceServiceResponse> answer) {
                  if (mood == Mood.TAKES) {
                    taken.add(request);
                    answer.onNext(ExportTraceServiceResponse.getDefaultInstance());
                    answer.onCompleted();
                  } else if (mood == Mood.REFUSES) {
                    answer.onError(Status.INVALID_ARGUMENT.asRuntimeException());
                  }
                }
              })
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Collector start() {
    return new Collector();
  }

  public void be(Mood next) {
    mood = next;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  public String endpoint() {
    return "http://127.0.0.1:" + port();
  }

  /** The same for gRPC. */
  public String grpcEndpoint() {
    return "http://127.0.0.1:" + grpc.getPort();
  }

  private void take(HttpExchange exchange) throws IOException {
    Mood now = mood;
    try (exchange) {
      byte[] body = body(exchange);
      if (now == Mood.HANGS) {
        closed.await();
        return;
      }
      if (now == Mood.REFUSES) {
        exchange.sendResponseHeaders(400, -1);
        return;
      }
      taken.add(ExportTraceServiceRequest.parseFrom(body));
      byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().add("content-type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static byte[] body(HttpExchange exchange) throws IOException {
    boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("content-encoding"));
    try (InputStream in = exchange.getRequestBody();
        InputStream plain = zipped ? new GZIPInputStream(in) : in) {
      return plain.readAllBytes();
    }
  }

  /** All that has come so far. */
  public List<SeenSpan> spans() {
    return taken.stream()
        .flatMap(request -> request.getResourceSpansList().stream())
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .flatMap(scope -> scope.getSpansList().stream())
        .map(SeenSpan::of)
        .toList();
  }

  public List<Resource> resources() {
    return taken.stream()
        .flatMap(request -> request.getResourceSpansList().stream())
        .map(each -> each.getResource())
        .toList();
  }

  /** Every word that came, for what must not be among them. */
  public String everything() {
    return taken.toString();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    grpc.shutdownNow();
    threads.shutdownNow();
  }
}
