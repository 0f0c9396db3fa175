package inferencegateway.admission;

/**
 * The calls of one caller for one set of backends: those that wait, and how many run. Guarded by
 * the gate's lock; what changes here changes its order in its {@link Level}, so go through that.
 */
final class Line {

  final Holder holder;
  final Level level;
  final Places waiting = new Places();
  int running;

  /** When it was last served, by count; breaks ties, the longest ago first. */
  long turn;

  Line(Holder holder, Level level) {
    this.holder = holder;
    this.level = level;
  }

  /** All that it takes up. */
  int weight() {
    return running + waiting.size();
  }

  boolean isReady() {
    return waiting.size() > 0 && !holder.isAtLimit();
  }
}
