package inferencegateway.testing;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A grpc-java server without any of the gateway, to try tools and the library itself. */
public final class PlainServer implements AutoCloseable {
  static final String STREAM_PATH = "/inference.InferenceService/GenerateStream";
  private final Server server;

  private PlainServer(Server server) {
    this.server = server;
  }

  static PlainServer start(UnaryOperator<NettyServerBuilder> shape) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(anyPort)
            .directExecutor()
            // Tests ping to learn that all was received; the third would cost the connection.
            .permitKeepAliveTime(0, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true);
    try {
      return new PlainServer(shape.apply(builder).build().start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Only {@code inference.InferenceService/GenerateStream}, answered by {@code handler}. */
  static PlainServer streaming(ServerCallHandler<GenerateRequest, TokenResponse> handler) {
    return start(builder -> builder.addService(service(handler)));
  }

  static ServerServiceDefinition service(
      ServerCallHandler<GenerateRequest, TokenResponse> handler) {
    return ServerServiceDefinition.builder("inference.InferenceService")
        .addMethod(InferenceServiceGrpc.getGenerateStreamMethod(), handler)
        .build();
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
