package inferencegateway.auth;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A SPIFFE ID, {@code spiffe://trust-domain/path}.
 *
 * @param text in the one form that the specification allows, so that equal ids are equal texts
 */
record SpiffeId(String text) {

  static final String SCHEME = "spiffe://";

  private static final int LONGEST = 2048;
  private static final Pattern FORM =
      Pattern.compile("spiffe://[a-z0-9._-]{1,255}(/(?!\\.{1,2}(/|$))[A-Za-z0-9._-]+)+");

  /**
   * Empty unless it is a workload's id to the letter: no query, port, escapes, dots for segments,
   * empty segments, and no missing path, which is an authority's.
   */
  static Optional<SpiffeId> parse(String text) {
    return text.length() <= LONGEST && FORM.matcher(text).matches()
        ? Optional.of(new SpiffeId(text))
        : Optional.empty();
  }
}
