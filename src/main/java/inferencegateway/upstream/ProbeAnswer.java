package inferencegateway.upstream;

import java.util.List;

/** What a backend answered to the question whether it serves. */
public sealed interface ProbeAnswer {

  /**
   * It lists its models and does not call itself unhealthy.
   *
   * @param models the distinct models, each by its first name; no adapters; may be empty
   * @param names everything that may be asked for: all names of the models, and the adapters
   */
  record Up(List<String> models, List<String> names) implements ProbeAnswer {
    public Up {
      models = List.copyOf(models);
      names = List.copyOf(names);
    }
  }

  /**
   * @param detail for the operator's log; no secrets
   */
  record Down(Kind kind, String detail) implements ProbeAnswer {}

  /** Why it is down. */
  enum Kind {
    /** No connection: refused, unreachable, name unknown. */
    REFUSED,
    /** No complete answer in time. */
    TIMEOUT,
    /** It does not take our key: 401 or 403. */
    AUTH,
    /** Any other status that is no success. */
    STATUS,
    /** A broken connection, or an answer that cannot be read. */
    OTHER
  }
}
