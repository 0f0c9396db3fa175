package inferencegateway.http;

/**
 * Receives one response. Every method runs on the exchange's loop, in this order; {@link #onEnd} or
 * {@link #onFault} ends it, exactly once; after {@link Exchange#abort} nothing more is called.
 * Implementations must not throw and must not block.
 */
public interface ResponseHandler {

  /** A connection is there and the request has been written to it. Again after a replay. */
  void onSent();

  /** Status and headers of the final response (1xx are skipped). */
  void onHead(ResponseHead head);

  /** The next bytes of the body. The array is reused after the return. */
  void onBody(byte[] bytes, int offset, int length);

  /** All that one read held has been delivered; more may come. */
  void onReadEnd();

  /** The body is complete. */
  void onEnd();

  /** There will be no complete response. */
  void onFault(HttpFault fault);
}
