package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages show pictures that are there, and small. */
final class PicturesTest {

  private static final Pattern PICTURE = Pattern.compile("!\\[[^\\]]+\\]\\(([^)]+)\\)");
  private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G'};
  private static final long MOST_BYTES = 400_000;

  @ParameterizedTest
  @ValueSource(strings = {"operating.md", "operating.zh-CN.md"})
  void picturesOfAPageAreThereAndSmall(String page) throws IOException {
    List<String> shown =
        PICTURE
            .matcher(Files.readString(Path.of("docs", page)))
            .results()
            .map(m -> m.group(1))
            .toList();
    assertTrue(!shown.isEmpty(), "no picture in " + page);
    for (String each : shown) {
      byte[] bytes = Files.readAllBytes(Path.of("docs", each));
      assertArrayEquals(PNG, Arrays.copyOf(bytes, PNG.length));
      assertTrue(bytes.length <= MOST_BYTES, each + " has " + bytes.length + " bytes");
    }
  }
}
