package inferencegateway.cli;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;

/**
 * Notices that the JVM sized its heap by the host. It then takes a quarter of the memory, which on
 * a GPU host is hundreds of gigabytes that the gateway has no use for.
 */
final class HeapNote {

  private static final long BIG_HOST = 8L << 30;

  private HeapNote() {}

  static Optional<String> ofProcess() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      List<String> arguments = ManagementFactory.getRuntimeMXBean().getInputArguments();
      return of(arguments, system.getTotalMemorySize(), Runtime.getRuntime().maxMemory());
    }
    return Optional.empty();
  }

  static Optional<String> of(List<String> jvmArguments, long hostBytes, long heapBytes) {
    boolean bounded =
        jvmArguments.stream()
            .anyMatch(
                argument ->
                    argument.startsWith("-Xmx")
                        || argument.startsWith("-XX:MaxHeapSize=")
                        || argument.startsWith("-XX:MaxRAM"));
    if (bounded || hostBytes <= BIG_HOST) {
      return Optional.empty();
    }
    return Optional.of(
        "no -Xmx is set, so that the heap may grow to "
            + (heapBytes >> 20)
            + " MiB; start with java -Xmx1g -jar ..., which serves thousands of streams");
  }
}
