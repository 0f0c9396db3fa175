package inferencegateway;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Which gateway this is. */
final class Version {

  private Version() {}

  /** As Maven built it. */
  static String ofGateway() {
    try (InputStream file = Version.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(file);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new IllegalStateException("the jar is broken: version.properties cannot be read", e);
    }
  }
}
