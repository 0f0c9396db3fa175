package inferencegateway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Which build this is. */
public final class Version implements IVersionProvider {

  private static final String FILE = "/inferencegateway/version.properties";

  @Override
  public String[] getVersion() {
    return new String[] {
      "inference-gateway " + of("version"),
      "grpc-java " + of("grpc"),
      "java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")"
    };
  }

  /**
   * @param what {@code version} or {@code grpc}
   */
  public static String of(String what) {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty(what, "unknown");
  }
}
