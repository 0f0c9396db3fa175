package inferencegateway.auth;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Tells whose a call is. Where a call shows both, its key decides, and a key that is not known is
 * not made good by a certificate.
 */
public final class Callers {

  /** Where there is no list: whoever gets through TLS, or anybody where TLS asks for nothing. */
  public static final Callers ANYONE = new Callers(null);

  /** Null: there is no list. */
  private final @Nullable Directory directory;

  private Callers(@Nullable Directory directory) {
    this.directory = directory;
  }

  /** Those of a list, and nobody else. No credential may be in it twice. */
  public static Callers of(List<Listed> listed) {
    return new Callers(new Directory(listed));
  }

  public Identity identify(Presented presented) {
    if (directory == null) {
      return new Identity.Known(anyone(presented));
    }
    return switch (presented.kind()) {
      case NONE -> new Identity.Unknown("no credential");
      case KEY -> byKey(directory, presented.authorization());
      case CERTIFICATE -> byCertificate(directory, PeerNames.of(certificate(presented)));
    };
  }

  private static Caller anyone(Presented presented) {
    if (presented.certificate() == null) {
      return Caller.anyone(presented.host());
    }
    PeerNames names = PeerNames.of(presented.certificate());
    return names.usable() ? Caller.certified(names.name()) : Caller.anyone(presented.host());
  }

  private static X509Certificate certificate(Presented presented) {
    return Objects.requireNonNull(presented.certificate());
  }

  private static Identity byKey(Directory directory, List<String> authorization) {
    if (authorization.size() > 1) {
      return new Identity.Unknown("several authorization values");
    }
    return BearerKey.in(authorization.get(0))
        .map(key -> found(directory.byKey(key), "unknown key"))
        .orElseGet(() -> new Identity.Unknown("authorization is not Bearer and a key"));
  }

  private static Identity byCertificate(Directory directory, PeerNames names) {
    if (!names.usable()) {
      return new Identity.Unknown("certificate with unusable URI names");
    }
    // TLS has looked at the beginning of the connection, which may be long ago.
    if (Instant.now().isAfter(names.goodUntil())) {
      return new Identity.Unknown("certificate has expired");
    }
    return found(directory.byNames(names), "unknown certificate");
  }

  private static Identity found(@Nullable Caller caller, String whyNot) {
    return caller == null ? new Identity.Unknown(whyNot) : new Identity.Known(caller);
  }

  /** Every credential of a list, to be looked up. */
  private static final class Directory {
    private final Map<KeyHash, Caller> keys = new HashMap<>();
    private final Map<SpiffePattern, Caller> spiffe = new HashMap<>();
    private final Map<X500Principal, Caller> subjects = new HashMap<>();

    Directory(List<Listed> listed) {
      for (Listed each : listed) {
        each.keys().forEach(key -> put(keys, key, each.caller()));
        each.spiffe().forEach(pattern -> put(spiffe, pattern, each.caller()));
        each.subjects().forEach(subject -> put(subjects, subject, each.caller()));
      }
    }

    private static <K> void put(Map<K, Caller> map, K credential, Caller caller) {
      if (map.putIfAbsent(credential, caller) != null) {
        throw new IllegalArgumentException("a credential of " + caller + " is there twice");
      }
    }

    @Nullable Caller byKey(String key) {
      return keys.get(KeyHash.of(key));
    }

    @Nullable Caller byNames(PeerNames names) {
      return names.spiffe() == null
          ? subjects.get(names.subject())
          : bySpiffe(names.spiffe().text()).orElse(null);
    }

    /** The id itself, else the nearest {@code /*} above it. */
    private Optional<Caller> bySpiffe(String id) {
      Caller found = spiffe.get(new SpiffePattern(id, false));
      int end = id.lastIndexOf('/');
      while (found == null && end >= SpiffeId.SCHEME.length()) {
        found = spiffe.get(new SpiffePattern(id.substring(0, end), true));
        end = id.lastIndexOf('/', end - 1);
      }
      return Optional.ofNullable(found);
    }
  }
}
