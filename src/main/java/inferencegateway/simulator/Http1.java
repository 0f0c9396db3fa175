package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;

/**
 * Response bytes of HTTP/1.1, written here and not by a codec: half of the faults are answers that
 * a codec refuses to write.
 */
final class Http1 {

  static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(US_ASCII);

  private Http1() {}

  static String reason(int status) {
    return status == 499
        ? "Client Closed Request"
        : HttpResponseStatus.valueOf(status).reasonPhrase();
  }

  static byte[] head(String version, int status, List<String> headers) {
    StringBuilder out =
        new StringBuilder(160).append(version).append(' ').append(status).append(' ');
    out.append(reason(status)).append("\r\nserver: uvicorn\r\n");
    headers.forEach(line -> out.append(line).append("\r\n"));
    return out.append("\r\n").toString().getBytes(UTF_8);
  }

  static byte[] chunkSize(int bytes) {
    return (Integer.toHexString(bytes) + "\r\n").getBytes(US_ASCII);
  }
}
