package inferencegateway.route;

/** Spreads texts over numbers, the same in every process and at every start. */
final class Hashing {

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private Hashing() {}

  static long of(String text) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return mixed(hash);
  }

  static long of(long key, String text) {
    return mixed(key ^ of(text));
  }

  /** Every bit of the input moves about half of the output's (the finish of SplitMix64). */
  private static long mixed(long hash) {
    long z = hash + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Above 0, below 1. */
  static double unit(long hash) {
    return ((hash >>> 11) + 0.5) / (1L << 53);
  }
}
