package inferencegateway.config;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether files have changed, by their content: it works through Kubernetes' swapped links,
 * and a touched file is no news. A content that is refused is tried, and told of, once.
 *
 * <p>Thread: one of its own; {@link #lookNow} and {@link #close} from anywhere.
 */
public final class Watch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

  /** Hears how reloading went. */
  @FunctionalInterface
  public interface Listener {

    /**
     * On the thread that looks. Not told of the first look where it brings no news.
     *
     * @param files those of one reloadable
     * @param good whether what they hold is in force now
     */
    void reloaded(List<Path> files, boolean good);
  }

  private final Duration interval;
  private final Listener listener;
  private final List<Watched> watched = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "reload");

  /** Guarded by this: set by whoever asks, taken by the thread. */
  private boolean asked;

  /** Guarded by this. */
  private boolean closed;

  /**
   * @param interval between two looks; zero: only when asked
   */
  public Watch(Duration interval) {
    this(interval, (files, good) -> {});
  }

  /**
   * @param interval between two looks; zero: only when asked
   */
  public Watch(Duration interval, Listener listener) {
    this.interval = interval;
    this.listener = listener;
    thread.setDaemon(true);
  }

  /**
   * Before {@link #start}. At the first look it is read once more in any case: nobody knows whether
   * a file has changed since it was read for the start.
   */
  public void add(Reloadable reloadable) {
    if (!reloadable.files().isEmpty()) {
      watched.add(new Watched(reloadable));
    }
  }

  public void start() {
    if (!watched.isEmpty()) {
      thread.start();
    }
  }

  /** Reads everything again soon, changed or not. */
  public synchronized void lookNow() {
    asked = true;
    notifyAll();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      for (Turn turn = await(); turn != Turn.END; turn = await()) {
        boolean anyway = turn == Turn.ASKED;
        watched.forEach(each -> each.look(anyway, listener));
      }
    } catch (InterruptedException e) {
      LOG.error("files are no longer looked at", e);
    }
  }

  private enum Turn {
    TIMER,
    ASKED,
    END
  }

  private synchronized Turn await() throws InterruptedException {
    long end = System.nanoTime() + interval.toNanos();
    while (!closed && !asked) {
      long left = end - System.nanoTime();
      if (interval.isZero()) {
        wait();
      } else if (left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } else {
        return Turn.TIMER;
      }
    }
    asked = false;
    return closed ? Turn.END : Turn.ASKED;
  }

  /** On the reload thread. */
  private static final class Watched {
    private final Reloadable reloadable;

    /** What was tried last, good or bad. */
    private @Nullable FilesDigest tried;

    Watched(Reloadable reloadable) {
      this.reloadable = reloadable;
    }

    /** Digested before it is read: what changes in between is seen as a change next time. */
    void look(boolean anyway, Listener listener) {
      try {
        FilesDigest now = FilesDigest.of(reloadable.files());
        if (!anyway && now.equals(tried)) {
          return;
        }
        boolean first = tried == null && !anyway;
        tried = now;
        boolean good = tryReload(first);
        if (!good || !first) {
          listener.reloaded(reloadable.files(), good);
        }
      } catch (RuntimeException | Error e) { // One that gets out ends the thread.
        LOG.error("not looked at: {}", reloadable.files(), e);
      }
    }

    private boolean tryReload(boolean first) {
      try {
        reloadable.reload();
        if (!first) {
          LOG.info("reloaded {}", reloadable.files());
        }
        return true;
      } catch (ConfigException e) {
        e.problems().forEach(problem -> LOG.warn("not reloaded, the old stays: {}", problem));
      } catch (IOException | IllegalArgumentException e) {
        LOG.warn("not reloaded, the old stays: {}", e.getMessage());
      } catch (RuntimeException e) {
        LOG.error("not reloaded, the old stays: {}", reloadable.files(), e);
      }
      return false;
    }
  }
}
