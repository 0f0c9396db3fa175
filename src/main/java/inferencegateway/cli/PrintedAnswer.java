package inferencegateway.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Prints an answer as it comes, and what it cost when it is over. The answer goes to standard
 * output; reasoning and the summary go to standard error.
 */
final class PrintedAnswer implements Answer {

  private static final double NANOS = 1e9;

  /** Tokens that came within less came together, or the model was done before they were read. */
  private static final long SHORTEST_RATED = 100_000_000;

  private final Terminal terminal;
  private final boolean json;
  private final LongSupplier nanoTime;
  private final long begun;
  private long first;
  private boolean something;
  private boolean lineOpen;
  private boolean reasoningOpen;

  PrintedAnswer(Terminal terminal, boolean json, LongSupplier nanoTime) {
    this.terminal = terminal;
    this.json = json;
    this.nanoTime = nanoTime;
    this.begun = nanoTime.getAsLong();
  }

  @Override
  public void message(Message message) {
    if (json) {
      terminal.out().println(oneLine(message));
      flush();
    }
  }

  private void flush() {
    if (terminal.out().checkError()) {
      throw new NobodyReads();
    }
  }

  private static String oneLine(Message message) {
    try {
      return JsonFormat.printer()
          .preservingProtoFieldNames()
          .omittingInsignificantWhitespace()
          .print(message);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("both contracts can be written as JSON", e);
    }
  }

  @Override
  public void text(String piece) {
    if (piece.isEmpty()) {
      return;
    }
    noteFirst();
    if (!json) {
      endReasoning();
      terminal.out().print(piece);
      flush();
      lineOpen = !piece.endsWith("\n");
    }
  }

  @Override
  public void reasoning(String piece) {
    if (piece.isEmpty()) {
      return;
    }
    noteFirst();
    if (!json) {
      terminal.err().print(reasoningOpen ? piece : "[reasoning] " + piece);
      terminal.err().flush();
      reasoningOpen = true;
    }
  }

  private void noteFirst() {
    if (!something) {
      something = true;
      first = nanoTime.getAsLong();
    }
  }

  private void endReasoning() {
    if (reasoningOpen) {
      reasoningOpen = false;
      terminal.say("");
    }
  }

  /** Puts whatever comes next on a line of its own. */
  void endLine() {
    endReasoning();
    if (lineOpen) {
      lineOpen = false;
      terminal.out().println();
      terminal.out().flush();
    }
  }

  /**
   * @param streamed whether the first piece's time says anything
   */
  void summary(Ending ending, boolean streamed) {
    endLine();
    long now = nanoTime.getAsLong();
    StringBuilder line = new StringBuilder("[");
    line.append(ending.inputTokens()).append(" tokens in, ");
    line.append(ending.outputTokens()).append(" out");
    Duration told = ending.firstToken();
    if (told != null) {
      line.append(format(", first token %.0f ms", told.toNanos() / 1e6));
    } else if (streamed && something) {
      line.append(format(", first token %.0f ms", (first - begun) / 1e6));
    }
    if (streamed && something) {
      appendRate(line, ending.outputTokens(), now - first);
    }
    line.append(format(", total %.2f s", (now - begun) / NANOS));
    line.append(", finish: ").append(ending.finish().isEmpty() ? "unknown" : ending.finish());
    if (!ending.model().isEmpty()) {
      line.append(", model: ").append(ending.model());
    }
    terminal.say(line.append(']').toString());
  }

  /** The first token is what the clock starts with, so that it does not count. */
  private static void appendRate(StringBuilder line, int tokens, long nanos) {
    if (tokens > 1 && nanos >= SHORTEST_RATED) {
      line.append(format(", %.1f tokens/s", (tokens - 1) * NANOS / nanos));
    }
  }

  private static String format(String pattern, double number) {
    return String.format(Locale.ROOT, pattern, number);
  }
}
