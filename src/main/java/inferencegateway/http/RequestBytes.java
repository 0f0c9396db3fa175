package inferencegateway.http;

import inferencegateway.config.BackendUrl;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/** A request as it goes over the wire. Checked and encoded once, written once or twice. */
final class RequestBytes {
  private static final Set<String> OWN_HEADERS =
      Set.of(
          "host",
          "content-length",
          "connection",
          "transfer-encoding",
          "expect",
          "upgrade",
          "te",
          "trailer",
          "keep-alive",
          "accept-encoding");

  private final byte[] head;
  private final byte[] body;

  private RequestBytes(byte[] head, byte[] body) {
    this.head = head;
    this.body = body;
  }

  /**
   * @throws IllegalArgumentException when a part could not stand in a request's head, or is the
   *     client's own business
   */
  static RequestBytes of(HttpRequest request, String host) {
    StringBuilder head = new StringBuilder(256);
    head.append(token(request.method(), "method")).append(' ').append(path(request.path()));
    head.append(" HTTP/1.1\r\nhost: ").append(host).append("\r\n");
    for (Map.Entry<String, String> header : request.headers().entrySet()) {
      head.append(name(header.getKey())).append(": ");
      head.append(value(header.getKey(), header.getValue())).append("\r\n");
    }
    if (request.body().length > 0 || !request.method().equals("GET")) {
      head.append("content-length: ").append(request.body().length).append("\r\n");
    }
    head.append("connection: keep-alive\r\n\r\n");
    return new RequestBytes(head.toString().getBytes(StandardCharsets.US_ASCII), request.body());
  }

  /** What goes into the Host header: no port where it is the scheme's own. */
  static String hostHeader(BackendUrl backend) {
    if (backend.socketPath() != null) {
      return "localhost";
    }
    String host = backend.host().indexOf(':') < 0 ? backend.host() : "[" + backend.host() + "]";
    return backend.port() == (backend.secure() ? 443 : 80) ? host : host + ":" + backend.port();
  }

  byte[] head() {
    return head;
  }

  byte[] body() {
    return body;
  }

  private static String name(String name) {
    token(name, "header name");
    if (OWN_HEADERS.contains(name)) {
      throw new IllegalArgumentException("header " + name + " is the client's own business");
    }
    return name;
  }

  private static String token(String text, String what) {
    boolean good = !text.isEmpty();
    for (int i = 0; i < text.length() && good; i++) {
      char c = text.charAt(i);
      good = c > ' ' && c < 0x7f && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
    }
    if (!good || (what.equals("header name") && hasUpperCase(text))) {
      throw new IllegalArgumentException("not a " + what + " in the form that is asked for");
    }
    return text;
  }

  private static boolean hasUpperCase(String text) {
    return text.chars().anyMatch(c -> c >= 'A' && c <= 'Z');
  }

  private static String path(String path) {
    boolean good = path.startsWith("/");
    for (int i = 0; i < path.length() && good; i++) {
      good = path.charAt(i) > ' ' && path.charAt(i) < 0x7f;
    }
    if (!good) {
      throw new IllegalArgumentException("not a request path");
    }
    return path;
  }

  /** The value itself is not shown: it may be a key. */
  private static String value(String name, String value) {
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) < ' ' || value.charAt(i) >= 0x7f) {
        throw new IllegalArgumentException(
            "header " + name + " has a character that no header may have");
      }
    }
    return value;
  }
}
