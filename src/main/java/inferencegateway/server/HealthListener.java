package inferencegateway.server;

import inferencegateway.config.HostPort;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.util.List;

/**
 * A second port that speaks {@code grpc.health.v1} and nothing else, in plaintext.
 *
 * <p>A probe is answered while every other loop is busy, and needs no client certificate where the
 * main port asks for one.
 */
public final class HealthListener implements AutoCloseable {

  private final SidePort port;

  public HealthListener(HostPort address, ServerServiceDefinition health) {
    Served onlyHealth = new Served(List.of(health), null, List.of(), List.of());
    this.port = new SidePort("health-listen", "health", address, false, onlyHealth);
  }

  /**
   * Opens the port.
   *
   * @throws IOException says in one line which key, which address, and why
   */
  public void start() throws IOException {
    port.start();
  }

  /** The bound port; after {@link #start}. */
  public int port() {
    return port.port();
  }

  /** Closes port, connections and loop. Does nothing when it was not started. */
  @Override
  public void close() {
    port.close();
  }
}
