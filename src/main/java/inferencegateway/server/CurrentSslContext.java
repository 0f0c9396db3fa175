package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * Stands for whatever context is in force when it is asked. Netty's own delegating context holds
 * one for good.
 */
final class CurrentSslContext extends SslContext {

  private final Supplier<SslContext> current;

  CurrentSslContext(Supplier<SslContext> current) {
    this.current = current;
  }

  @Override
  public boolean isClient() {
    return current.get().isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return current.get().cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in its parent
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.get().applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.get().newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return current.get().newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.get().sessionContext();
  }
}
