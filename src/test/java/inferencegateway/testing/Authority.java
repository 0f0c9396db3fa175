package inferencegateway.testing;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;

/** A certificate authority of the tests: signs whatever it is asked to. P-256 throughout. */
public final class Authority {
  private static final String ECDSA_SHA256 = "1.2.840.10045.4.3.2";
  private static final Duration DAY = Duration.ofDays(1);

  private final X500Principal name;
  private final KeyPair keys = newKeys();
  private final AtomicLong serial = new AtomicLong();

  public Authority(String subject) {
    this.name = new X500Principal(subject);
  }

  /** Its own certificate. */
  public Issued self() {
    Instant now = Instant.now();
    byte[] constraints = extension("2.5.29.19", true, Der.sequence(Der.yes()));
    return new Issued(
        signed(name, keys, now.minus(DAY), now.plus(DAY), constraints), keys.getPrivate());
  }

  /** Begins a certificate for somebody; valid from yesterday to tomorrow, for both sides of TLS. */
  public Request to(String subject) {
    return new Request(new X500Principal(subject));
  }

  /** What is asked for. */
  public final class Request {
    private final X500Principal subject;
    private byte[] names = new byte[0];
    private byte[] usages = new byte[0];
    private Instant until = Instant.now().plus(DAY);

    private Request(X500Principal subject) {
      this.subject = subject;
    }

    public Request uri(String uri) {
      names = joined(names, Der.tagged(0x86, uri.getBytes(StandardCharsets.US_ASCII)));
      return this;
    }

    public Request dns(String host) {
      names = joined(names, Der.tagged(0x82, host.getBytes(StandardCharsets.US_ASCII)));
      return this;
    }

    public Request ip(byte... address) {
      names = joined(names, Der.tagged(0x87, address));
      return this;
    }

    /** For a server only: no client may show it. */
    public Request serverOnly() {
      usages = Der.oid("1.3.6.1.5.5.7.3.1");
      return this;
    }

    public Request until(Instant end) {
      until = end;
      return this;
    }

    public Issued issue() {
      KeyPair own = newKeys();
      byte[] extensions = new byte[0];
      if (names.length > 0) {
        extensions = extension("2.5.29.17", false, Der.sequence(names));
      }
      if (usages.length > 0) {
        extensions = joined(extensions, extension("2.5.29.37", false, Der.sequence(usages)));
      }
      Instant from = Instant.now().minus(DAY);
      return new Issued(signed(subject, own, from, until, extensions), own.getPrivate());
    }
  }

  private X509Certificate signed(
      X500Principal subject, KeyPair own, Instant from, Instant until, byte[] extensions) {
    byte[] algorithm = Der.sequence(Der.oid(ECDSA_SHA256));
    byte[] body =
        Der.sequence(
            Der.tagged(0xa0, Der.integer(2)),
            Der.integer(serial.incrementAndGet()),
            algorithm,
            name.getEncoded(),
            Der.sequence(Der.time(from), Der.time(until)),
            subject.getEncoded(),
            own.getPublic().getEncoded(),
            extensions.length == 0 ? extensions : Der.tagged(0xa3, Der.sequence(extensions)));
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(keys.getPrivate());
      signature.update(body);
      byte[] whole = Der.sequence(body, algorithm, Der.bits(signature.sign()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(whole));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] extension(String oid, boolean critical, byte[] value) {
    return critical
        ? Der.sequence(Der.oid(oid), Der.yes(), Der.octets(value))
        : Der.sequence(Der.oid(oid), Der.octets(value));
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  private static KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
