package inferencegateway.auth;

import java.util.Locale;

/** What a caller can show. */
public enum Credential {
  NONE,
  KEY,
  CERTIFICATE;

  /** For logs. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
