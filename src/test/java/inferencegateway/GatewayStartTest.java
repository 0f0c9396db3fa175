package inferencegateway;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Settings;
import inferencegateway.config.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GatewayStartTest {

  private static final Path FILES = Path.of("src/test/resources/tls/server").toAbsolutePath();

  private final GatewayStart starter = new GatewayStart();

  @TempDir private Path folder;

  @Test
  void usableTlsFilesPassTheCheck() {
    assertDoesNotThrow(() -> starter.check(config(FILES.resolve("server.key"))));
  }

  @Test
  void checkFindsTheSameFaultAsTheStart() throws IOException {
    String words = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    Path junk = Files.writeString(folder.resolve("junk.pem"), words);
    for (Path key : List.of(FILES.resolve("client.key"), junk)) {
      GatewayConfig config = config(key);
      StartFailure checked = assertThrows(StartFailure.class, () -> starter.check(config));
      StartFailure started = assertThrows(StartFailure.class, () -> starter.start(config));
      assertEquals("tls.key", checked.key());
      assertEquals(started.getMessage(), checked.getMessage());
    }
  }

  private static GatewayConfig config(Path key) {
    Map<String, String> flags =
        Map.of(
            "listen",
            "127.0.0.1:0",
            "backend",
            "http://127.0.0.1:9/v1",
            "tls.cert",
            FILES.resolve("server.crt").toString(),
            "tls.key",
            key.toString());
    return Settings.read(flags, Map.of(), Map.of(), List.of()).config();
  }
}
