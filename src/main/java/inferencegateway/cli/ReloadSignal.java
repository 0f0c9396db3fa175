package inferencegateway.cli;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SIGHUP: read the files again. Where there is no such signal, only time brings it about. */
final class ReloadSignal implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ReloadSignal.class);

  private @Nullable JvmSignal taken;

  /**
   * From now on, once.
   *
   * @param reload must not block: it runs on a thread of the JVM's own
   */
  void take(Runnable reload) {
    try {
      taken = JvmSignal.take("HUP", number -> reload.run());
    } catch (ReflectiveOperationException | LinkageError e) {
      LOG.debug("no SIGHUP here", e);
    }
  }

  @Override
  public void close() {
    if (taken != null) {
      taken.close();
    }
  }
}
