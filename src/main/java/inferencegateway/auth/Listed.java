package inferencegateway.auth;

import java.util.List;
import javax.security.auth.x500.X500Principal;

/**
 * A caller of the operator's list, and what it is known by.
 *
 * @param keys of its API keys; two while one is being replaced
 */
public record Listed(
    Caller caller, List<KeyHash> keys, List<SpiffePattern> spiffe, List<X500Principal> subjects) {

  public Listed {
    keys = List.copyOf(keys);
    spiffe = List.copyOf(spiffe);
    subjects = List.copyOf(subjects);
  }

  /** Whether a certificate is the only thing that it can show. */
  public boolean needsCertificate() {
    return keys.isEmpty();
  }
}
