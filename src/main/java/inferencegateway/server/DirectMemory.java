package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;

/** Memory outside of the heap, which holds what is being sent and received. */
public final class DirectMemory {

  private DirectMemory() {}

  /** Bytes in use; 0 where nobody counts. */
  public static long used() {
    return Math.max(0, PlatformDependent.usedDirectMemory());
  }

  /** Bytes that there may be. */
  public static long most() {
    return PlatformDependent.maxDirectMemory();
  }

  /** Share in use of what there may be, 0 to 1; 0 where nobody counts. */
  public static double share() {
    long used = PlatformDependent.usedDirectMemory();
    long most = PlatformDependent.maxDirectMemory();
    return used <= 0 || most <= 0 ? 0 : Math.min(1, used / (double) most);
  }
}
