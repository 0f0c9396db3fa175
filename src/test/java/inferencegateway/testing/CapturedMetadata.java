package inferencegateway.testing;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Headers and trailers of the latest call through {@link #channel}, of calls that end OK too. */
public final class CapturedMetadata {
  private final AtomicReference<Metadata> headers = new AtomicReference<>();
  private final AtomicReference<Metadata> trailers = new AtomicReference<>();
  private final Channel channel;

  public CapturedMetadata(Channel channel) {
    this.channel =
        ClientInterceptors.intercept(
            channel, MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
  }

  public Channel channel() {
    return channel;
  }

  /** Null before any came; a Trailers-Only answer has none. */
  public @Nullable Metadata headers() {
    return headers.get();
  }

  public @Nullable Metadata trailers() {
    return trailers.get();
  }

  public @Nullable String trailer(String name) {
    Metadata there = trailers.get();
    return there == null
        ? null
        : there.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
  }
}
