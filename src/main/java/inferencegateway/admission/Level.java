package inferencegateway.admission;

import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Lines of one priority. The next place goes to the caller that has the fewest running: who asks
 * for little is served at once, and what is left is shared evenly. Guarded by the gate's lock.
 */
final class Level {

  private static final Comparator<Line> BY_TURN = Comparator.comparingLong(line -> line.turn);

  final int priority;

  /** Who may be served, in that order. */
  final TreeSet<Line> ready =
      new TreeSet<>(Comparator.<Line>comparingInt(line -> line.running).thenComparing(BY_TURN));

  /** Those with waiters, the heaviest first: they make room for others. */
  private final TreeSet<Line> waiters =
      new TreeSet<>(Comparator.<Line>comparingInt(Line::weight).reversed().thenComparing(BY_TURN));

  int waiting;
  private int lines;

  Level(int priority) {
    this.priority = priority;
  }

  void addWaiter(Line line, Place place, long turn) {
    lift(line);
    if (line.weight() == 0) {
      line.turn = turn;
    }
    line.waiting.add(place);
    waiting++;
    put(line);
  }

  void removeWaiter(Line line, Place place) {
    lift(line);
    line.waiting.remove(place);
    waiting--;
    put(line);
  }

  void began(Line line, long turn) {
    lift(line);
    line.running++;
    line.turn = turn;
    put(line);
  }

  void ended(Line line) {
    lift(line);
    line.running--;
    put(line);
  }

  /** Its caller has come to its limit, or has room again. */
  void refresh(Line line) {
    lift(line);
    put(line);
  }

  private void lift(Line line) {
    lines -= line.weight() > 0 ? 1 : 0;
    waiters.remove(line);
    ready.remove(line);
  }

  private void put(Line line) {
    lines += line.weight() > 0 ? 1 : 0;
    if (line.waiting.size() > 0) {
      waiters.add(line);
    }
    if (line.isReady()) {
      ready.add(line);
    }
  }

  boolean isEmpty() {
    return lines == 0;
  }

  /** Whose newest waiter goes when somebody has to. */
  @Nullable Line heaviestWaiting() {
    return waiters.isEmpty() ? null : waiters.first();
  }

  /**
   * How many are served before one more of that line would be.
   *
   * @param running of the line
   * @param mine waiting in it
   * @param enough counting stops above that
   */
  int ahead(@Nullable Line self, int running, int mine, int enough) {
    int sum = mine;
    for (Line other : ready) {
      int before = running + mine - other.running + 1;
      if (sum > enough || before <= 0) {
        return sum; // All that follow run more than this line will.
      }
      sum += other == self ? 0 : Math.min(other.waiting.size(), before);
    }
    return sum;
  }
}
