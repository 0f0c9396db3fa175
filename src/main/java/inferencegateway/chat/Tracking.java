package inferencegateway.chat;

/**
 * What a call is followed by across servers. All of it is checked before it gets here.
 *
 * @param requestId 1 to 128 of {@code A-Za-z0-9._-}
 * @param traceParent W3C Trace Context, version 00; empty: none
 * @param traceState the same; empty without a parent
 */
public record Tracking(String requestId, String traceParent, String traceState) {

  public static Tracking of(String requestId) {
    return new Tracking(requestId, "", "");
  }
}
