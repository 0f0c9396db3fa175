package inferencegateway.simulator;

import java.util.Map;
import java.util.OptionalLong;

/** One request's page in the journal: written by its loop, read from anywhere. */
final class JournalEntry {

  private static final long NOT_YET = Long.MIN_VALUE;

  private final long connection;
  private final String method;
  private final String path;
  private final Map<String, String> headers;
  private final String body;
  private final long arrival = System.nanoTime();

  // Each has one writer, the request's loop; volatile is for the readers.
  private volatile long firstToken = NOT_YET;
  private volatile long end = NOT_YET;
  private volatile long disconnect = NOT_YET;
  private volatile boolean aborted;
  private volatile int tokens;
  private volatile boolean continued;

  JournalEntry(
      long connection, String method, String path, Map<String, String> headers, String body) {
    this.connection = connection;
    this.method = method;
    this.path = path;
    this.headers = headers;
    this.body = body;
  }

  void tokens(int soFar) {
    if (firstToken == NOT_YET) {
      firstToken = System.nanoTime();
    }
    tokens = soFar;
  }

  /** It asks to go on with its last message. */
  void continued() {
    continued = true;
  }

  void disconnected() {
    disconnect = System.nanoTime();
  }

  void aborted() {
    aborted = true;
  }

  void ended() {
    end = System.nanoTime();
  }

  RecordedRequest snapshot() {
    return new RecordedRequest(
        connection,
        method,
        path,
        headers,
        body,
        arrival,
        time(firstToken),
        time(end),
        time(disconnect),
        aborted,
        tokens,
        continued);
  }

  private static OptionalLong time(long nanos) {
    return nanos == NOT_YET ? OptionalLong.empty() : OptionalLong.of(nanos);
  }
}
