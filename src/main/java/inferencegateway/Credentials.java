package inferencegateway;

import inferencegateway.config.ApiKey;
import inferencegateway.config.BackendConfig;
import inferencegateway.config.Reloadable;
import inferencegateway.http.UpstreamTls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What one backend is shown and trusted by, as its files have it now. Thread-safe. */
final class Credentials implements Reloadable {

  private final BackendConfig backend;
  private final ApiKey apiKey;
  private final UpstreamTls tls;

  /** What is in force was read from that; guarded by this. */
  private String content;

  private Credentials(BackendConfig backend, ApiKey apiKey, UpstreamTls tls, String content) {
    this.backend = backend;
    this.apiKey = apiKey;
    this.tls = tls;
    this.content = content;
  }

  /**
   * Reads them for the first time.
   *
   * @throws IOException says in one line which file is wrong, and why
   */
  static Credentials open(BackendConfig backend) throws IOException {
    return new Credentials(
        backend,
        ApiKey.in(setting(backend, "api-key-file", "api-key-file"), backend.apiKeyFile()),
        UpstreamTls.open(setting(backend, "upstream.tls", "tls"), backend.url(), backend.tls()),
        backend.content());
  }

  /** As the operator calls them. */
  private static String setting(BackendConfig backend, String flat, String listed) {
    return backend.name().equals(BackendConfig.ONLY)
        ? flat
        : "routing.file, backend " + backend.name() + ": " + listed;
  }

  ApiKey apiKey() {
    return apiKey;
  }

  UpstreamTls tls() {
    return tls;
  }

  @Override
  public List<Path> files() {
    return backend.files();
  }

  /** New TLS costs the idle connections, so only where something has changed. */
  @Override
  public synchronized void reload() throws IOException {
    String now = backend.content();
    if (!now.equals(content)) {
      apiKey.reload();
      tls.reload();
      content = now;
    }
  }
}
