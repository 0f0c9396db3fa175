package inferencegateway.load;

import io.grpc.Metadata;

/** Puts the latest load report into the trailers of every call of the two contracts. */
public final class LoadTrailer {

  static final Metadata.Key<byte[]> KEY =
      Metadata.Key.of("endpoint-load-metrics-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final LoadMeter meter;

  public LoadTrailer(LoadMeter meter) {
    this.meter = meter;
  }

  /**
   * A call ends.
   *
   * @param method its full name
   */
  public void mark(String method, Metadata trailers) {
    if (!method.startsWith("grpc.") && !method.startsWith("xds.")) {
      trailers.put(KEY, meter.latest().bytes());
    }
  }
}
