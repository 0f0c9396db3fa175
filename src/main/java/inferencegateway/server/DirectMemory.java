package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;

/** Memory outside of the heap, which holds what is being sent and received. */
public final class DirectMemory {

  private DirectMemory() {}

  /** Share in use of what there may be, 0 to 1; 0 where nobody counts. */
  public static double share() {
    long used = PlatformDependent.usedDirectMemory();
    long most = PlatformDependent.maxDirectMemory();
    return used <= 0 || most <= 0 ? 0 : Math.min(1, used / (double) most);
  }
}
