package inferencegateway.upstream;

import inferencegateway.http.Exchange;

/**
 * One chat completion under way at a backend. Methods may be called from anywhere, at any time,
 * also after the end.
 */
public interface UpstreamCall {

  /**
   * Stops the generation by closing the connection. The listener hears nothing more. Idempotent.
   */
  void abort();

  /** Stops reading; what was already read is still delivered. */
  void pause();

  /** Reads on. */
  void resume();

  /** For the log. */
  Exchange.ConnectionUse connectionUse();
}
