package inferencegateway.health;

import java.util.List;

/** What one probe found. */
public sealed interface ProbeResult {

  /**
   * It answered as it should.
   *
   * @param models as the backend lists them, in its order
   */
  record Up(List<String> models) implements ProbeResult {
    public Up {
      models = List.copyOf(models);
    }
  }

  /**
   * It did not.
   *
   * @param detail for the log: what happened, without secrets
   */
  record Down(Kind kind, String detail) implements ProbeResult {}

  enum Kind {
    /** Nobody listens there. */
    REFUSED,
    /** No answer within the limit. */
    TIMEOUT,
    /** 401 or 403: our key is not accepted. */
    AUTH,
    /** Any other status than 200. */
    STATUS,
    /** The rest: name not found, reset, not HTTP. */
    OTHER
  }
}
