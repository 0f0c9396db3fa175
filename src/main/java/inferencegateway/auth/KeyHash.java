package inferencegateway.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * What is kept of an API key: its SHA-256.
 *
 * <p>Keys are long random strings, so that nobody can find one by trying; a salt or a slow hash,
 * made for what people choose as passwords, would add nothing but work for each call.
 */
public final class KeyHash {

  private static final String PREFIX = "sha256:";
  private static final Pattern TEXT = Pattern.compile(PREFIX + "[0-9a-f]{64}");

  private final byte[] digest;

  private KeyHash(byte[] digest) {
    this.digest = digest;
  }

  /**
   * Reads what {@link #text} writes.
   *
   * @throws IllegalArgumentException with words that go on after a key; never shows the text, which
   *     may be a key by mistake
   */
  public static KeyHash parse(String text) {
    if (!TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "must be sha256: and 64 hexadecimal digits, as inference-gateway hash-key prints it");
    }
    return new KeyHash(HexFormat.of().parseHex(text, PREFIX.length(), text.length()));
  }

  public static KeyHash of(String key) {
    try {
      return new KeyHash(
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** As it is written in {@code callers.file}. */
  public String text() {
    return PREFIX + HexFormat.of().formatHex(digest);
  }

  /** In the same time wherever they differ. */
  @Override
  public boolean equals(Object other) {
    return other instanceof KeyHash hash && MessageDigest.isEqual(digest, hash.digest);
  }

  /** Of digests, which a caller cannot choose: how the table is searched tells nothing of a key. */
  @Override
  public int hashCode() {
    return ByteBuffer.wrap(digest).getInt();
  }

  @Override
  public String toString() {
    return "***";
  }
}
