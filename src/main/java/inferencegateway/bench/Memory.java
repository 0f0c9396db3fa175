package inferencegateway.bench;

/**
 * The gateway's resident memory with few and with many streams at the same tokens a second: what
 * the traffic takes is in both, so the difference is the streams'.
 *
 * @param bytesAtFew -1 for both where the system does not tell
 */
record Memory(int few, long bytesAtFew, int many, long bytesAtMany) {

  boolean isKnown() {
    return bytesAtFew >= 0;
  }

  double kilobytesPerStream() {
    return (bytesAtMany - bytesAtFew) / 1_024.0 / (many - few);
  }
}
