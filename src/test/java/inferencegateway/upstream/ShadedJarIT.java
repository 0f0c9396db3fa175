package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The one jar leaves out most of openai-java; what is left must be enough for all that is used. */
class ShadedJarIT {

  private static final Path JAR = Path.of(System.getProperty("gateway.jar", ""));

  /** Writes a body with every field set, reads a chunk, a model list and an error. */
  @Test
  void holdsEveryTypeThatIsUsed() throws Exception {
    try (URLClassLoader jar =
        new URLClassLoader(new URL[] {JAR.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      Class<?> backend = jar.loadClass(OpenAiBackend.class.getName());
      assertNotSame(OpenAiBackend.class, backend);
      backend.getMethod("warmUp").invoke(null);
    }
  }

  @Test
  void holdsNothingOfServicesNeverCalled() throws Exception {
    try (URLClassLoader jar = new URLClassLoader(new URL[] {JAR.toUri().toURL()}, null)) {
      for (String left :
          new String[] {"models/responses/Response", "services/blocking/ChatService"}) {
        assertNull(jar.findResource("com/openai/" + left + ".class"), left);
      }
      assertEquals(
          "jar",
          jar.findResource("com/openai/models/chat/completions/ChatCompletionCreateParams.class")
              .getProtocol());
    }
  }

  @Test
  void isSmallEnoughToCopyAround() throws Exception {
    long megabytes = Files.size(JAR) >> 20;
    assertTrue(megabytes < 40, megabytes + " MB");
  }
}
