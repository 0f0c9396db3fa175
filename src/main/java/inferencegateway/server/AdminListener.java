package inferencegateway.server;

import inferencegateway.config.TelemetryConfig;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.services.ChannelzService;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator's port: the admin service, gRPC's own channelz, and reflection, in plaintext and
 * without credentials. The configuration sees to it that only this host can reach it.
 */
public final class AdminListener implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(AdminListener.class);

  private static final int CHANNELZ_PAGE = 100;

  private final TelemetryConfig.@Nullable Port where;
  private final @Nullable SidePort port;
  private boolean open;

  /**
   * @param where null: nowhere
   */
  public AdminListener(TelemetryConfig.@Nullable Port where, ServerServiceDefinition admin) {
    this.where = where;
    this.port =
        where == null
            ? null
            : new SidePort(where.key(), "admin", where.address(), true, served(admin));
  }

  private static Served served(ServerServiceDefinition admin) {
    ServerServiceDefinition channelz = ChannelzService.newInstance(CHANNELZ_PAGE).bindService();
    return new Served(List.of(admin, channelz), null, List.of(), List.of());
  }

  /**
   * Opens the port. Where nobody asked for it and another gateway has it, it warns and goes on.
   *
   * @throws IOException says in one line which key, which address, and why
   */
  public void start() throws IOException {
    if (where == null || port == null) {
      return;
    }
    try {
      port.start();
      open = true;
    } catch (IOException e) {
      if (where.asked()) {
        throw e;
      }
      LOG.warn("No admin port. {}. Set {} to another address, or off", e.getMessage(), where.key());
    }
  }

  /** The bound port; -1: there is none. */
  public int port() {
    return open && port != null ? port.port() : -1;
  }

  /** Closes port, connections and loop. Does nothing when it was not started. */
  @Override
  public void close() {
    open = false;
    if (port != null) {
      port.close();
    }
  }
}
