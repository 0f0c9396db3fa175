package inferencegateway.upstream;

import inferencegateway.chat.Usage;
import inferencegateway.http.Exchange;
import org.jspecify.annotations.Nullable;

/**
 * One chat completion under way at a backend. Methods may be called from anywhere, at any time,
 * also after the end.
 */
public interface UpstreamCall {

  /**
   * Stops the generation by closing the connection. The listener hears nothing more. Idempotent.
   */
  void abort();

  /**
   * After {@link #abort}, on the loop: runs {@code then} once the connection is closed, at once
   * where it is; never where there was none.
   */
  void whenClosed(Runnable then);

  /** Stops reading; what was already read is still delivered. */
  void pause();

  /** Reads on. */
  void resume();

  /**
   * Whether the answer failed because its connection or its engine died, and by nothing that lies
   * in the request or that was said on purpose. On the loop.
   */
  boolean wasCutOff();

  /** What the backend has said of the usage so far; null where it said nothing. On the loop. */
  @Nullable Usage usage();

  /** For the log. */
  Exchange.ConnectionUse connectionUse();
}
