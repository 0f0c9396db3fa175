package inferencegateway.server;

import io.grpc.Metadata;

/** Adds to what calls are answered with. Asked on the call's loop; must not block. */
public interface AnswerMark {

  /** The answer begins. */
  default void first(Metadata headers) {}

  /**
   * The call ends, with or without {@link #first} before.
   *
   * @param method the full name of what was called
   */
  void last(String method, Metadata trailers);
}
