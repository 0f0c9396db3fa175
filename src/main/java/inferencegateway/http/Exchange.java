package inferencegateway.http;

/**
 * One request under way. Methods may be called from anywhere, at any time, also after the end; they
 * act on the loop.
 */
public interface Exchange {

  /**
   * Nobody waits any more: closes the connection (never half-closes, never reuses it), stops
   * connecting or resolving. No method of the handler is called afterwards when this is called on
   * the loop. Idempotent. From inside {@link ResponseHandler#onEnd}: the connection serves nobody
   * else.
   */
  void abort();

  /**
   * After {@link #abort}, on the loop: runs {@code then} once the connection that carried the
   * request is closed, at once where it is; never where there was none.
   */
  void whenClosed(Runnable then);

  /**
   * Stops reading from the socket, so that TCP holds the backend back. What was already read is
   * still delivered.
   */
  void pause();

  /** Reads on. */
  void resume();

  /** How the connection was come by and used; for the log. Meaningful once the request was sent. */
  ConnectionUse connectionUse();

  /**
   * Which connection carried the request.
   *
   * @param reused whether the connection had carried a request before
   * @param attempts 1, or 2 after the replay of a stale connection
   */
  record ConnectionUse(boolean reused, int attempts) {}
}
