package inferencegateway.auth;

import java.util.regex.Pattern;

/**
 * One SPIFFE ID, or all below one, by whole segments: {@code spiffe://corp/ns/a/*} has {@code
 * spiffe://corp/ns/a/sa/web} and not {@code spiffe://corp/ns/ab}.
 *
 * @param base without the {@code /*}
 * @param below whether ids below it are meant, and not itself
 */
public record SpiffePattern(String base, boolean below) {

  private static final String REST = "/*";
  private static final Pattern DOMAIN = Pattern.compile("spiffe://[a-z0-9._-]{1,255}");

  /**
   * @throws IllegalArgumentException with words that go on after a key
   */
  public static SpiffePattern parse(String text) {
    boolean below = text.endsWith(REST);
    String base = below ? text.substring(0, text.length() - REST.length()) : text;
    if (SpiffeId.parse(base).isEmpty() && !(below && DOMAIN.matcher(base).matches())) {
      throw new IllegalArgumentException(
          "must be a SPIFFE ID such as spiffe://corp/ns/web/sa/shop, or end with /* for all below");
    }
    return new SpiffePattern(base, below);
  }
}
