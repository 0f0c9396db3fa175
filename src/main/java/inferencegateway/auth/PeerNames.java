package inferencegateway.auth;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * What a certificate that TLS has found good says of its owner.
 *
 * @param spiffe its SPIFFE ID; null: it has none, and is known by its subject
 * @param usable false where its URI names are more or other than a SPIFFE ID may have beside it:
 *     such a certificate names nobody
 * @param goodUntil its own end
 */
record PeerNames(
    @Nullable SpiffeId spiffe, X500Principal subject, boolean usable, Instant goodUntil) {

  /** RFC 5280, GeneralName. */
  private static final int URI = 6;

  static PeerNames of(X509Certificate certificate) {
    X500Principal subject = certificate.getSubjectX500Principal();
    Instant goodUntil = certificate.getNotAfter().toInstant();
    try {
      List<String> uris = uris(certificate.getSubjectAlternativeNames());
      if (uris.stream().noneMatch(PeerNames::claimsSpiffe)) {
        return new PeerNames(null, subject, true, goodUntil);
      }
      // The X.509-SVID specification, section 2: one URI name, and a valid one, or no identity.
      Optional<SpiffeId> only =
          uris.size() == 1 ? SpiffeId.parse(uris.get(0)) : Optional.<SpiffeId>empty();
      return new PeerNames(only.orElse(null), subject, only.isPresent(), goodUntil);
    } catch (CertificateParsingException e) {
      return new PeerNames(null, subject, false, goodUntil);
    }
  }

  private static boolean claimsSpiffe(String uri) {
    return uri.regionMatches(true, 0, "spiffe:", 0, "spiffe:".length());
  }

  private static List<String> uris(@Nullable Collection<List<?>> names) {
    return names == null
        ? List.of()
        : names.stream()
            .filter(name -> name.get(0) instanceof Integer type && type == URI)
            .map(name -> String.valueOf(name.get(1)))
            .toList();
  }

  /** For logs: the SPIFFE ID, else the subject. */
  String name() {
    return spiffe != null ? spiffe.text() : subject.getName();
  }
}
