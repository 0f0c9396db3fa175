package inferencegateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a small file whole. */
final class FileText {

  private FileText() {}

  /**
   * Bytes as ISO-8859-1, so that nothing is lost or refused here.
   *
   * @throws IllegalArgumentException with words that go on after the key; never shows the content
   */
  static String read(Path path, int mostBytes) {
    if (Files.isDirectory(path)) {
      throw new IllegalArgumentException("must name a file, not a directory");
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(mostBytes + 1);
      if (bytes.length > mostBytes) {
        throw new IllegalArgumentException(
            "must name a file of at most " + mostBytes / 1024 + " KiB");
      }
      return new String(bytes, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("must name a file that exists", e);
    } catch (AccessDeniedException e) {
      throw new IllegalArgumentException("must name a file that this user may read", e);
    } catch (IOException e) {
      throw new IllegalArgumentException("must name a readable file", e);
    }
  }
}
