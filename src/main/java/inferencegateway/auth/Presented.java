package inferencegateway.auth;

import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a call shows of who it is.
 *
 * @param authorization the values of its {@code authorization} metadata, untouched
 * @param certificate its connection's, which TLS has found good; null: none was asked for
 * @param host where it comes from
 */
public record Presented(
    List<String> authorization, @Nullable X509Certificate certificate, String host) {

  /** The kind of credential that decides. */
  public Credential kind() {
    if (!authorization.isEmpty()) {
      return Credential.KEY;
    }
    return certificate == null ? Credential.NONE : Credential.CERTIFICATE;
  }

  /** Never anything of what was presented. */
  @Override
  public String toString() {
    return kind() + " from " + host;
  }
}
