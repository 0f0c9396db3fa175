package inferencegateway.health;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;

/** What this process has used up, as Java tells it. */
public final class HostReadings implements Strain.Readings {

  /** Below so many free files, or a twentieth of all, connections are about to fail. */
  private static final long FEW_FILES = 4;

  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
  private final Set<String> heapPools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toSet());
  private final DoubleSupplier direct;

  /**
   * @param direct share of the memory outside of the heap in use, 0 to 1
   */
  public HostReadings(DoubleSupplier direct) {
    this.direct = direct;
  }

  /**
   * After the latest collection of any kind. (A pool's own {@code getCollectionUsage} will not do:
   * of G1's old generation it tells nothing until a full collection.)
   */
  @Override
  public double heap() {
    GcInfo latest = null;
    for (GarbageCollectorMXBean collector : collectors) {
      GcInfo info = collector.getLastGcInfo();
      if (info != null && (latest == null || info.getEndTime() > latest.getEndTime())) {
        latest = info;
      }
    }
    return latest == null ? 0 : used(latest) / (double) Runtime.getRuntime().maxMemory();
  }

  private long used(GcInfo collection) {
    return collection.getMemoryUsageAfterGc().entrySet().stream()
        .filter(pool -> heapPools.contains(pool.getKey()))
        .mapToLong(pool -> pool.getValue().getUsed())
        .sum();
  }

  @Override
  public long collections() {
    return collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
  }

  @Override
  public double direct() {
    return direct.getAsDouble();
  }

  /** Counting opens a file itself: where that fails there are none left. */
  @Override
  public boolean fewFiles() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long most = system.getMaxFileDescriptorCount();
      return most > 0 && most - open(system, most) <= Math.max(FEW_FILES, most / 20);
    }
    return false;
  }

  /** Some versions of Java say -1 where it fails, others throw. */
  private static long open(UnixOperatingSystemMXBean system, long most) {
    try {
      long open = system.getOpenFileDescriptorCount();
      return open < 0 ? most : open;
    } catch (InternalError e) {
      return most;
    }
  }
}
