package inferencegateway.http;

/**
 * What went wrong on the wire.
 *
 * @param kind which of the closed set
 * @param detail for people; names addresses and library messages, never content
 */
public record HttpFault(Kind kind, String detail) {

  /** The closed set. */
  public enum Kind {
    /** No address accepted a connection: refused, unreachable, name unknown, TLS refused. */
    CONNECT,
    /** No connection within the connect timeout. */
    CONNECT_TIMEOUT,
    /** The connection ended before a byte of the response's head. */
    NO_RESPONSE,
    /** The connection ended inside the response. */
    CUT,
    /** What came is not HTTP/1.1. */
    PROTOCOL,
    /** The system has no more sockets or ports to give. */
    EXHAUSTED
  }
}
