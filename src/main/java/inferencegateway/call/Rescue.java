package inferencegateway.call;

import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.Usage;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to go on with one answer elsewhere when its backend dies: all that was said, how
 * much of it, and the seam between the two parts. Once a call.
 *
 * <p>Only plain text can be gone on with. Reasoning cannot: templates leave it out or move it, and
 * backends take what follows for reasoning. Tools and structured output must never be: half a call
 * or half a grammar is no beginning. A request that can ask for those has to keep {@link
 * Dispatch#mayRescue} from saying yes.
 *
 * <pre>  WRITING -rest-> (asked for) -begins-> UNDER_WAY      reasoning, too long: WRITING -> OUT
 * </pre>
 *
 * <p>Thread: the call's loop.
 */
final class Rescue {

  private enum State {
    WRITING,
    UNDER_WAY,
    OUT
  }

  private final int maxChars;
  private final StringBuilder said = new StringBuilder();
  private State state = State.WRITING;

  /** Pieces at the end that are white space only: they are generated once more. */
  private int blankPieces;

  private int pieces;
  private int kept;
  private @Nullable Usage first;
  private @Nullable Failure cause;
  private Seam seam = new Seam("");

  /**
   * @param maxChars longest text that is remembered; a longer one is not rescued
   */
  Rescue(int maxChars) {
    this.maxChars = maxChars;
  }

  /** The first backend has said that much more. */
  void said(Delta delta) {
    if (state != State.WRITING) {
      return;
    }
    if (!delta.reasoning().isEmpty() || said.length() + delta.text().length() > maxChars) {
      state = State.OUT;
      forget();
      return;
    }
    said.append(delta.text());
    pieces++;
    blankPieces = Seam.isBlank(delta.text()) ? blankPieces + 1 : 0;
  }

  private void forget() {
    said.setLength(0);
    said.trimToSize();
  }

  /** Whether there is nothing to be rescued, or not any more. */
  boolean isOut() {
    return state == State.OUT;
  }

  /** Whether what comes now is the second part. */
  boolean isUnderWay() {
    return state == State.UNDER_WAY;
  }

  /**
   * What to ask the other backend for.
   *
   * @param whole the request as the first one got it
   * @param usage as the first one put it last; null when it said nothing
   * @return null when this cannot be gone on with, or there is nothing left to generate
   */
  @Nullable ChatRequest rest(ChatRequest whole, @Nullable Usage usage) {
    first = usage;
    kept = Math.max(0, (usage == null ? pieces : usage.output()) - blankPieces);
    String beginning = Seam.beginning(said);
    return state == State.WRITING
            && kept < whole.maxTokens()
            && !endsInsideAStop(beginning, whole.stopping())
        ? whole.restAfter(beginning, kept)
        : null;
  }

  /**
   * Backends look for stop strings in what they write themselves. One that lies across the seam
   * would not be found, and the answer would run on: where the text may end inside one, it ends.
   */
  private static boolean endsInsideAStop(String text, Stopping stopping) {
    for (String stop : stopping.stop()) {
      for (int length = 1; length < stop.length(); length++) {
        if (text.endsWith(stop.substring(0, length))) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * It is asked for.
   *
   * @param why it was needed: what the caller is told if nothing comes of it
   */
  void begins(Failure why) {
    seam = new Seam(said.substring(Seam.beginning(said).length()));
    cause = why;
    state = State.UNDER_WAY;
    forget();
  }

  /** What of the second part's next piece is new; may be empty. */
  String join(String text) {
    return seam.join(text);
  }

  /** Why it was needed, and what came in its way. */
  Failure cameToNothing(Failure then) {
    if (cause == null) {
      return then;
    }
    String words = cause.forLog() + "; going on elsewhere failed: " + then.reason();
    return cause.withLog((words + " " + then.forLog()).strip());
  }

  /**
   * Tokens of both parts as those of one answer.
   *
   * @param second the second part's; null when its backend said nothing
   * @param deltas of the second part
   */
  Usage sum(@Nullable Usage second, int deltas) {
    Usage rest = second == null ? Usage.counted(deltas) : second;
    int output = kept + rest.output();
    if (first == null) {
      int input = Math.max(0, rest.input() - kept);
      return new Usage(input, output, input + output, null, null, false);
    }
    int input = first.input();
    return new Usage(input, output, input + output, first.cachedInput(), null, rest.exact());
  }
}
