package inferencegateway.server;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Who is connected to the page of metrics, so many at most. When all places are taken, the one who
 * has been quiet for longest goes: first those who have asked for nothing yet, then those whom an
 * answer has been given, then, where one address holds more than half of the places, those of that
 * address. Only then is the newcomer turned away.
 *
 * <p>Thread: the port's, but for {@link #turnedAway}.
 */
final class ReaderPlaces {

  static final int MOST = 256;

  private final int most;

  /** In the order of their coming, or of their last answer. */
  private final Set<Reader> taken = new LinkedHashSet<>();

  private final LongAdder turnedAway = new LongAdder();

  ReaderPlaces(int most) {
    this.most = most;
  }

  long turnedAway() {
    return turnedAway.sum();
  }

  /** Whether there is a place for it. */
  boolean take(Reader newcomer) {
    if (taken.size() >= most && !makeRoom(newcomer)) {
      turnedAway.increment();
      return false;
    }
    return taken.add(newcomer);
  }

  private boolean makeRoom(Reader newcomer) {
    Optional<Reader> quiet =
        first(Reader::isNew).or(() -> first(Reader::isIdle)).or(() -> greedy(newcomer));
    quiet.ifPresent(
        reader -> {
          if (!reader.isIdle()) {
            turnedAway.increment();
          }
          leave(reader);
          reader.close();
        });
    return quiet.isPresent();
  }

  private Optional<Reader> greedy(Reader newcomer) {
    return first(
        reader ->
            !Objects.equals(reader.address(), newcomer.address())
                && taken.stream()
                        .filter(each -> Objects.equals(each.address(), reader.address()))
                        .count()
                    > most / 2);
  }

  private Optional<Reader> first(Predicate<Reader> kind) {
    return taken.stream().filter(kind).findFirst();
  }

  /** It has had an answer: it is the last to go of those that have. */
  void served(Reader reader) {
    if (taken.remove(reader)) {
      taken.add(reader);
    }
  }

  void leave(Reader reader) {
    taken.remove(reader);
  }
}
