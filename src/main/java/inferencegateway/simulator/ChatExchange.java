package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** One chat completion, streamed or whole, or the error or fault in its place. */
final class ChatExchange implements Exchange {

  static final String FAULT_HEADER = "x-sim-fault";

  private final Engine engine;
  private final Connection connection;
  private final HttpAsk ask;
  private final JournalEntry entry;
  private final boolean allowed;
  private FaultSpec spec = FaultSpec.NONE;
  private @Nullable Generation generation;

  ChatExchange(
      Engine engine, Connection connection, HttpAsk ask, JournalEntry entry, boolean allowed) {
    this.engine = engine;
    this.connection = connection;
    this.ask = ask;
    this.entry = entry;
    this.allowed = allowed;
  }

  @Override
  public void begin() {
    engine.journal().chatOpened();
    answer();
    engine.journal().chatSettled();
  }

  private void answer() {
    try {
      spec = RequestedFaults.of(engine.takeFault(), ask);
    } catch (IllegalArgumentException unknown) {
      reply().answer(ErrorAnswer.badRequest(String.valueOf(unknown.getMessage()), "fault"));
      return;
    }
    if (!allowed) {
      reply().answer(ErrorAnswer.unauthorized());
    } else if (!hungUp() && !answeredWithFault()) {
      chat();
    }
  }

  private Reply reply() {
    return new Reply(connection, ask, spec);
  }

  private boolean hungUp() {
    if (spec.has(Fault.RESET_BEFORE_RESPONSE)) {
      connection.abandoned(Connection.Goodbye.RESET);
      return true;
    }
    if (spec.has(Fault.CLOSE_BEFORE_RESPONSE)
        || (spec.has(Fault.CLOSE_IF_REUSED) && connection.served() > 0)) {
      connection.abandoned(Connection.Goodbye.CLOSE);
      return true;
    }
    return false;
  }

  /** Faults that need no generation. */
  private boolean answeredWithFault() {
    String status = spec.text(Fault.STATUS);
    if (status != null) {
      reply().answer(ErrorAnswer.requested(status, spec));
    } else if (spec.has(Fault.CONTEXT_LENGTH)) {
      int limit = engine.config().maxModelLen();
      reply().answer(ErrorAnswer.contextOverflow(limit, limit + 1));
    } else if (spec.has(Fault.HTML)) {
      reply().whole(200, "text/html; charset=utf-8", ErrorAnswer.page(200), List.of());
    } else {
      return false;
    }
    return true;
  }

  private void chat() {
    try {
      ChatAsk chat = engine.reader().read(ask.body());
      if (!chat.beginning().isEmpty()) {
        entry.continued();
      }
      if (spec.has(Fault.EMPTY_BODY) || spec.has(Fault.DONE_ONLY)) {
        nothing(chat);
      } else {
        generate(chat);
      }
    } catch (Rejected rejected) {
      reply().answer(rejected.answer());
    }
  }

  /** An answer without an answer. */
  private void nothing(ChatAsk chat) {
    Reply reply = reply();
    boolean done = spec.has(Fault.DONE_ONLY);
    if (!chat.stream()) {
      reply.json(done ? "{\"id\":\"x\",\"object\":\"chat.completion\",\"choices\":[]}" : "");
      return;
    }
    reply.open(StreamedAnswer.CONTENT_TYPE);
    if (done) {
      reply.piece(Event.of("data: [DONE]\n\n".getBytes(UTF_8)), List.of());
    }
    reply.close();
  }

  private void generate(ChatAsk chat) {
    AnswerPlan plan = engine.author().plan(chat, spec);
    AnswerJson json = new AnswerJson(id(), chat.model(), spec);
    Reply reply = reply();
    AnswerSink sink =
        chat.stream()
            ? new StreamedAnswer(reply, plan, chat, json, spec)
            : new WholeAnswer(reply, plan, chat, json, spec);
    Generation made = new Generation(engine, connection, plan, spec, sink, entry);
    generation = made;
    if (made.enter()) {
      engine.tally().promptTokens.add(chat.promptTokens());
      sink.accepted();
    } else {
      generation = null;
      reply.answer(ErrorAnswer.queueFull(engine.config().queueLimit()));
    }
  }

  private String id() {
    String given = ask.header("x-request-id");
    return "chatcmpl-" + (given == null ? random() : given);
  }

  private static String random() {
    byte[] bytes = new byte[16];
    ThreadLocalRandom.current().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void writable() {
    if (generation != null) {
      generation.writable();
    }
  }

  @Override
  public void lost(boolean byClient) {
    if (byClient) {
      entry.disconnected();
      engine.tally().disconnected.increment();
    }
    entry.aborted();
    if (generation != null) {
      generation.abort();
    }
    over();
  }

  @Override
  public void ended() {
    if (generation != null) {
      generation.ended();
    }
    over();
    Duration exit = spec.duration(Fault.EXIT_AFTER);
    if (exit != null) {
      engine.exitAfter(exit);
    }
  }

  private void over() {
    entry.ended();
    engine.journal().chatEnded();
  }
}
