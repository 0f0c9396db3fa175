package inferencegateway.server;

import io.grpc.HandlerRegistry;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import java.net.SocketAddress;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a listener offers.
 *
 * @param fallback answers methods that no service has; null: the library's plain UNIMPLEMENTED
 * @param interceptors outermost first; they wrap the fallback's methods too
 * @param refusedHandshakes told of peers whose TLS handshake failed, where client certificates are
 *     asked for; on the connection's loop
 * @param observer adds to the server what measures it
 */
public record Served(
    List<ServerServiceDefinition> services,
    @Nullable HandlerRegistry fallback,
    List<ServerInterceptor> interceptors,
    List<ServerStreamTracer.Factory> tracers,
    BiConsumer<SocketAddress, String> refusedHandshakes,
    Consumer<ServerBuilder<?>> observer) {

  /** Nobody looks on, and nobody is told of handshakes. */
  public Served(
      List<ServerServiceDefinition> services,
      @Nullable HandlerRegistry fallback,
      List<ServerInterceptor> interceptors,
      List<ServerStreamTracer.Factory> tracers) {
    this(services, fallback, interceptors, tracers, (peer, why) -> {}, builder -> {});
  }

  public Served {
    services = List.copyOf(services);
    interceptors = List.copyOf(interceptors);
    tracers = List.copyOf(tracers);
  }
}
