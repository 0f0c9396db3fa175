package inferencegateway.testing;

/** RFC 9113 section 6, in the order of their codes. */
public enum FrameType {
  DATA,
  HEADERS,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  PUSH_PROMISE,
  PING,
  GOAWAY,
  WINDOW_UPDATE,
  CONTINUATION,
  /** Anything later than RFC 9113. */
  UNKNOWN;

  static FrameType of(int code) {
    return code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
  }
}
