package inferencegateway.auth;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes the key out of an {@code authorization} value (RFC 6750). */
public final class BearerKey {

  private static final int LONGEST = 4096;
  private static final Pattern FORM =
      Pattern.compile("[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)");
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  private BearerKey() {}

  static Optional<String> in(String authorization) {
    if (authorization.length() > LONGEST) {
      return Optional.empty();
    }
    Matcher matcher = FORM.matcher(authorization);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** Whether a key can be sent at all. */
  public static boolean canBe(String key) {
    return key.length() <= LONGEST - 10 && KEY.matcher(key).matches();
  }
}
