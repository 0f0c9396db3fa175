package inferencegateway;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How much memory outside of the heap Netty may take. */
final class DirectMemoryCap {

  private static final long MOST = 1L << 30;

  /** Below it Netty's own pools do not fit. */
  private static final long LEAST = 32L << 20;

  private DirectMemoryCap() {}

  /**
   * A GiB or as much as the heap; in a small container half of what the heap leaves, so that the
   * other half is there for code, classes, threads and the collector.
   *
   * @param heap bytes that the heap may grow to
   * @param memory bytes of the host or of the container
   */
  static long of(long heap, long memory) {
    return Math.max(LEAST, Math.min(Math.min(heap, MOST), (memory - heap) / 2));
  }

  /** Of the container, where there is a limit; else of the host. */
  static long memoryOfHost() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Long.MAX_VALUE;
  }
}
