package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request that was read to its end.
 *
 * @param body empty for none
 */
record HttpAsk(HttpRequest head, byte[] body) {

  String method() {
    return head.method().name();
  }

  /** Without the query. */
  String path() {
    int query = head.uri().indexOf('?');
    return query < 0 ? head.uri() : head.uri().substring(0, query);
  }

  boolean isHttp11() {
    return head.protocolVersion().equals(HttpVersion.HTTP_1_1);
  }

  boolean wantsKeepAlive() {
    return HttpUtil.isKeepAlive(head);
  }

  @Nullable String header(String name) {
    return head.headers().get(name);
  }

  Map<String, String> headers() {
    Map<String, String> all = new TreeMap<>();
    head.headers()
        .forEach(
            h ->
                all.merge(
                    h.getKey().toLowerCase(Locale.ROOT), h.getValue(), (a, b) -> a + "," + b));
    return all;
  }

  String text() {
    return new String(body, UTF_8);
  }
}
