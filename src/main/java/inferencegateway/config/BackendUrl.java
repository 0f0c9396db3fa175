package inferencegateway.config;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A backend's address, taken apart once.
 *
 * <p>{@code http://host:8000/v1}, {@code https://host/v1}, or {@code unix:/run/vllm.sock} (path
 * {@code /v1}; another one after a colon: {@code unix:/run/vllm.sock:/openai/v1}).
 *
 * @param text as it was configured; safe to show, since user info in it is refused
 * @param secure whether to speak TLS
 * @param host name or literal address without brackets; empty for a Unix socket
 * @param port 1 to 65535; 0 for a Unix socket
 * @param socketPath the Unix socket; null for TCP
 * @param basePath leading slash, no trailing one, as {@code /v1}; may be empty
 */
public record BackendUrl(
    String text,
    boolean secure,
    String host,
    int port,
    @Nullable String socketPath,
    String basePath) {

  private static final String EXPECTED =
      "must be an address such as http://localhost:8000/v1, https://host/v1 or unix:/run/vllm.sock";

  /** Printable ASCII, so that nothing in it can end a line of the request. */
  private static final Pattern PLAIN = Pattern.compile("[!-~]+");

  /** What sockaddr_un holds on Linux, less its closing zero. */
  private static final int LONGEST_SOCKET_PATH = 107;

  /**
   * @throws IllegalArgumentException with words that go on after the key
   */
  public static BackendUrl parse(String text) {
    refuse(!PLAIN.matcher(text).matches(), EXPECTED);
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.startsWith("unix:")) {
      return unix(text, text.substring("unix:".length()));
    }
    boolean secure = lower.startsWith("https://");
    if (!secure && !lower.startsWith("http://")) {
      throw new IllegalArgumentException(withoutScheme(text));
    }
    return tcp(text, secure, text.substring(secure ? "https://".length() : "http://".length()));
  }

  private static BackendUrl tcp(String text, boolean secure, String rest) {
    refuse(rest.indexOf('?') >= 0 || rest.indexOf('#') >= 0, "must have no ? and no #");
    int slash = rest.indexOf('/');
    String authority = slash < 0 ? rest : rest.substring(0, slash);
    refuse(
        authority.indexOf('@') >= 0,
        "must hold no user name or password; put the key in a file and name it with api-key-file");
    int colon = authority.lastIndexOf(':');
    boolean named = colon > authority.lastIndexOf(']');
    String host = Hosts.bare(named ? authority.substring(0, colon) : authority, EXPECTED);
    int port =
        named
            ? Hosts.port(authority.substring(colon + 1), "must have a port from 1 to 65535")
            : secure ? 443 : 80;
    refuse(port == 0, "must have a port from 1 to 65535");
    return new BackendUrl(
        text, secure, host, port, null, basePath(slash < 0 ? "" : rest.substring(slash)));
  }

  private static BackendUrl unix(String text, String rest) {
    refuse(rest.indexOf('?') >= 0 || rest.indexOf('#') >= 0, "must have no ? and no #");
    int colon = rest.indexOf(":/");
    String socket = (colon < 0 ? rest : rest.substring(0, colon)).replaceFirst("^//+", "/");
    refuse(
        !socket.startsWith("/") || socket.endsWith("/"),
        "must name its socket by a whole path, such as unix:/run/vllm.sock");
    refuse(
        socket.getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET_PATH,
        "must name a socket whose path has at most " + LONGEST_SOCKET_PATH + " bytes");
    String base = colon < 0 ? "/v1" : basePath(rest.substring(colon + 1));
    return new BackendUrl(text, false, "", 0, socket, base);
  }

  private static String basePath(String path) {
    String base = path.replaceFirst("/+$", "");
    refuse(
        base.endsWith("/completions") || base.endsWith("/models"),
        "must end before /chat/completions or /models, as in http://localhost:8000/v1");
    return base;
  }

  private static String withoutScheme(String text) {
    boolean looksLikeHost = text.matches("[A-Za-z0-9._-]+(:[0-9]+)?(/[A-Za-z0-9._/-]*)?");
    if (!looksLikeHost) {
      return EXPECTED;
    }
    String path = text.indexOf('/') < 0 ? "/v1" : "";
    return "must begin with http://, https:// or unix:, such as http://" + text + path;
  }

  private static void refuse(boolean wrong, String words) {
    if (wrong) {
      throw new IllegalArgumentException(words);
    }
  }
}
