package inferencegateway.health;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this process is short of memory, or of files for connections. Above a first mark new
 * calls are to be refused; what lasts makes the gateway not ready.
 *
 * <p>Thread: {@link #look} on one, {@link #sawNoSockets} and the rest from anywhere.
 */
public final class Strain {

  private static final Logger log = LoggerFactory.getLogger(Strain.class);

  private static final double HEAP_SHED = 0.85;
  private static final double DIRECT_SHED = 0.80;
  private static final double NOT_READY = 0.95;
  private static final long LASTING = TimeUnit.SECONDS.toNanos(10);

  /** Nothing is collected while nothing is taken in: then it has to be asked for. */
  private static final long COLLECT_AFTER = TimeUnit.SECONDS.toNanos(5);

  /** Figures from 0 to 1 and the like; may be read at any time, from one thread. */
  public interface Readings {
    /** Share of the heap that the latest collection left in use. */
    double heap();

    /** Collections so far. */
    long collections();

    /** Share of the memory outside of the heap in use. */
    double direct();

    /** Hardly a connection can be opened any more. */
    boolean fewFiles();
  }

  private final Readings readings;
  private final Readiness readiness;
  private final Runnable collect;
  private final LongSupplier clock;

  /** Written by {@link #look}, read for every call. */
  private volatile boolean shortOfMemory;

  /** A call got no socket since the last look. */
  private volatile boolean noSockets;

  private boolean high;
  private long highSince;
  private long collections;
  private long collectedAt;
  private boolean fewFiles;

  public Strain(Readings readings, Readiness readiness) {
    this(readings, readiness, System::gc, System::nanoTime);
  }

  Strain(Readings readings, Readiness readiness, Runnable collect, LongSupplier clock) {
    this.readings = readings;
    this.readiness = readiness;
    this.collect = collect;
    this.clock = clock;
    this.collectedAt = clock.getAsLong();
  }

  /** New calls are to be refused. */
  public boolean isShortOfMemory() {
    return shortOfMemory;
  }

  /** A call found no file or port for its connection. */
  public void sawNoSockets() {
    noSockets = true;
    readiness.strained(true);
  }

  /** To be called about every second. */
  public void look() {
    long now = clock.getAsLong();
    double heap = readings.heap();
    double direct = readings.direct();
    shed(heap, direct);
    noteCollections(heap, now);
    boolean wasHigh = high;
    high = heap > NOT_READY || direct > NOT_READY;
    highSince = wasHigh ? highSince : now;
    boolean files = noSockets || readings.fewFiles();
    noSockets = false;
    report(files);
    readiness.strained(files || (high && now - highSince >= LASTING));
  }

  private void shed(double heap, double direct) {
    boolean shed = heap > HEAP_SHED || direct > DIRECT_SHED;
    if (shed != shortOfMemory) {
      shortOfMemory = shed;
      if (shed) {
        log.warn(
            "Short of memory, new calls are refused: {} % of the heap, {} % outside of it in use",
            Math.round(heap * 100), Math.round(direct * 100));
      } else {
        log.info("Memory is free again, calls are taken");
      }
    }
  }

  private void noteCollections(double heap, long now) {
    long count = readings.collections();
    if (count != collections || heap <= HEAP_SHED) {
      collections = count;
      collectedAt = now;
    } else if (now - collectedAt >= COLLECT_AFTER) {
      collectedAt = now;
      collect.run();
    }
  }

  private void report(boolean few) {
    if (few && !fewFiles) {
      log.warn("Hardly a file is left for connections: is `ulimit -n` too low?");
    }
    fewFiles = few;
  }
}
