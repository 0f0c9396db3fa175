package inferencegateway.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The request headers of one call, changed until {@link #open}. */
public final class RawCall {
  private final RawH2 connection;
  private final List<Map.Entry<String, String>> fields = new ArrayList<>();

  RawCall(RawH2 connection, String path) {
    this.connection = connection;
    header(":method", "POST");
    header(":scheme", "http");
    header(":path", path);
    header(":authority", "localhost");
    header("te", "trailers");
    header("content-type", "application/grpc");
    header("user-agent", "raw-h2");
  }

  /** Adds a field; sets it anew when it is one of the usual ones. */
  public RawCall with(String name, String value) {
    without(name);
    return header(name, value);
  }

  /** Adds a field even when it is already there. */
  public RawCall header(String name, String value) {
    fields.add(Map.entry(name, value));
    return this;
  }

  public RawCall without(String name) {
    fields.removeIf(field -> field.getKey().equals(name));
    return this;
  }

  /** In gRPC's spelling: {@code 500m}, {@code 2S}, {@code 1n}; or junk. */
  public RawCall timeout(String grpcTimeout) {
    return with("grpc-timeout", grpcTimeout);
  }

  /** Sends the headers; the request stays open. */
  public RawStream open() {
    return connection.open(HeaderBlocks.encode(fields), false);
  }

  /** Sends the headers with END_STREAM: a call without any message. */
  public RawStream openAndHalfClose() {
    return connection.open(HeaderBlocks.encode(fields), true);
  }
}
