package inferencegateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** What some files held at one moment. A file that cannot be read is a content of its own. */
record FilesDigest(String hex) {

  /**
   * Nothing that is watched may be longer; a file that is one day swapped for a huge one is cut.
   */
  private static final int MOST_BYTES = 8 * 1024 * 1024;

  static FilesDigest of(List<Path> files) {
    MessageDigest digest = sha256();
    files.forEach(file -> add(digest, file));
    return new FilesDigest(HexFormat.of().formatHex(digest.digest()));
  }

  private static void add(MessageDigest digest, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MOST_BYTES);
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(content.length).array());
      digest.update(content);
    } catch (IOException e) {
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(-1).array());
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
