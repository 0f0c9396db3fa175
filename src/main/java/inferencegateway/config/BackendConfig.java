package inferencegateway.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One server behind the gateway, as the operator describes it.
 *
 * @param name for people, logs and metrics; unique
 * @param apiKeyFile holds its API key; null: none
 * @param tls for an address that says https
 * @param lenientFinish accept answers without a finish_reason
 * @param weight share of the work beside others of the same pool, 1 and up
 * @param running calls that it is given at once, 1 and up
 * @param eachAddress whether every address of its name is a backend of its own
 */
public record BackendConfig(
    String name,
    BackendUrl url,
    @Nullable Path apiKeyFile,
    BackendTls tls,
    boolean lenientFinish,
    int weight,
    int running,
    boolean eachAddress) {

  /** The name of the only backend, where no routing file names them. */
  public static final String ONLY = "default";

  /** Stands for what its files hold now; another text after a change. Reads them. */
  public String content() {
    return FilesDigest.of(files()).hex();
  }

  /** What it is read from beside its description. */
  public List<Path> files() {
    List<Path> all = new ArrayList<>(tls.files());
    if (apiKeyFile != null) {
      all.add(apiKeyFile);
    }
    return List.copyOf(all);
  }
}
