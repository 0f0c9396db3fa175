package inferencegateway.config;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The gateway cannot start because of one setting. */
public final class StartFailure extends IOException {

  private static final long serialVersionUID = 1;

  private final String key;

  /**
   * @param key of the setting: {@code health-listen}
   * @param fault reads on after the key, for people
   */
  public StartFailure(String key, String fault, @Nullable Throwable cause) {
    super(key + ": " + fault, cause);
    this.key = key;
  }

  public String key() {
    return key;
  }
}
