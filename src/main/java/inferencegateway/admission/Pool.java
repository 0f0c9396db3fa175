package inferencegateway.admission;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The calls for one set of backends. Guarded by the gate's lock. */
final class Pool {

  private record Key(String caller, int priority) {}

  final Object key;

  /** The highest priority first. */
  final TreeMap<Integer, Level> levels = new TreeMap<>(Comparator.reverseOrder());

  private final Map<Key, Line> lines = new HashMap<>();
  final FairShare share = new FairShare();
  private long turns;

  Pool(Object key) {
    this.key = key;
  }

  int waiting() {
    int sum = 0;
    for (Level level : levels.values()) {
      sum += level.waiting;
    }
    return sum;
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  @Nullable Line find(Holder holder) {
    return lines.get(new Key(holder.name, holder.priority()));
  }

  private Line line(Holder holder) {
    return lines.computeIfAbsent(
        new Key(holder.name, holder.priority()),
        absent -> {
          Line made = new Line(holder, levels.computeIfAbsent(holder.priority(), Level::new));
          holder.lines.add(made);
          return made;
        });
  }

  /** The place waits from now on. */
  void enqueue(Place place, Holder holder) {
    Line line = line(holder);
    place.line = line;
    line.level.addWaiter(line, place, ++turns);
  }

  /** The place waits no longer. */
  void dequeue(Place place, Line line) {
    line.level.removeWaiter(line, place);
    forget(line);
  }

  /** The place, which does not wait, runs from now on. */
  void began(Place place, Holder holder) {
    Line line = line(holder);
    place.line = line;
    holder.began();
    line.level.began(line, ++turns);
    refreshOthers(line);
  }

  void ended(Line line) {
    line.holder.ended();
    line.level.ended(line);
    refreshOthers(line);
    forget(line);
  }

  private static void refreshOthers(Line line) {
    if (line.holder.hasLimit() && line.holder.lines.size() > 1) {
      for (Line other : line.holder.lines) {
        other.level.refresh(other);
      }
    }
  }

  private void forget(Line line) {
    if (line.weight() > 0) {
      return;
    }
    lines.remove(new Key(line.holder.name, line.level.priority));
    line.holder.lines.remove(line);
    if (line.level.isEmpty()) {
      levels.remove(line.level.priority);
    }
  }

  /** How many go before one more call of that caller; above {@code enough} a lower bound. */
  int ahead(Holder holder, int enough) {
    Line line = find(holder);
    int sum = 0;
    for (Level level : levels.values()) {
      if (level.priority > holder.priority()) {
        sum += level.waiting;
      } else if (level.priority == holder.priority()) {
        int running = line == null ? 0 : line.running;
        int mine = line == null ? 0 : line.waiting.size();
        sum += level.ahead(line, running, mine, enough - sum);
      }
    }
    return sum;
  }

  /** Who makes room for one more call of that caller in a full queue; null: nobody. */
  @Nullable Place victim(Holder holder) {
    for (Level level : levels.descendingMap().values()) {
      Line heaviest = level.heaviestWaiting();
      if (heaviest != null) {
        boolean yields =
            level.priority < holder.priority()
                || (level.priority == holder.priority() && heaviest.weight() > weight(holder) + 1);
        return yields ? heaviest.waiting.last() : null;
      }
    }
    return null;
  }

  private int weight(Holder holder) {
    Line line = find(holder);
    return line == null ? 0 : line.weight();
  }
}
