package inferencegateway.simulator;

import java.util.Map;

/** Which exchange answers a request, and whether the request has the key. */
final class Routes {

  private final Engine engine;

  Routes(Engine engine) {
    this.engine = engine;
  }

  Exchange exchange(Connection connection, HttpAsk ask) {
    JournalEntry entry = record(connection, ask);
    if (ask.path().equals("/v1/chat/completions") && ask.method().equals("POST")) {
      return new ChatExchange(engine, connection, ask, entry, isAllowed(ask));
    }
    return new PlainExchange(engine, connection, ask, entry, isAllowed(ask));
  }

  private JournalEntry record(Connection connection, HttpAsk ask) {
    Journal journal = engine.journal();
    JournalEntry entry =
        journal.isRecording()
            ? new JournalEntry(
                connection.number(), ask.method(), ask.head().uri(), ask.headers(), ask.text())
            : new JournalEntry(connection.number(), ask.method(), ask.path(), Map.of(), "");
    journal.add(entry);
    return entry;
  }

  /** As vLLM: only {@code /v1} is guarded. */
  private boolean isAllowed(HttpAsk ask) {
    String key = engine.config().apiKey();
    return key == null
        || !ask.path().startsWith("/v1")
        || ("Bearer " + key).equals(ask.header("authorization"));
  }
}
