package inferencegateway.admission;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * How many calls one backend can use at once, found out: grows by a little while all of it is used
 * and the backend is well, shrinks by what waits there. RATIONALE.md says why it is made like this.
 * Guarded by the gate's lock.
 */
final class Limit {

  private static final long FIRST_PATIENCE = TimeUnit.SECONDS.toNanos(5);

  /** Between the steps of the way back from mere refusals. */
  private static final long NEXT_TRY = TimeUnit.SECONDS.toNanos(1);

  private static final long MOST_PATIENCE = TimeUnit.MINUTES.toNanos(5);

  /** Own words of the backend count more than what we measure, as long as they are fresh. */
  private static final long FRESH = TimeUnit.SECONDS.toNanos(10);

  /** A call waits there for a moment before it joins the batch; one in so many is no queue. */
  private static final int TRANSIENT = 16;

  private static final double CACHE_TIGHT = 0.9;
  private static final double CACHE_FULL = 0.98;

  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int LEAST_SAMPLES = 10;
  private static final int MOST_SAMPLES = 64;
  private static final double SLOW = 2.5;
  private static final double WELL = 1.5;
  private static final double NORMAL_SHARE = 0.2;
  private static final double LESS = 0.9;
  private static final int SIZES = 12;

  private final boolean adaptive;
  private final int start;
  private final int min;
  private final int max;
  private int value;

  /** Most calls at once since the last look. */
  private int peak;

  private boolean toldOnce;
  private long toldAt;

  /** What waited there at the look before. */
  private double waitedBefore;

  /** The queue there when it shrank for it, and by how many calls; below 0: there was none. */
  private double queueThen = -1;

  private int givenUp;

  /** Whether the latest change was upwards, and how far the next one goes. */
  private boolean grew;

  private int step = 1;

  /** What the latest growth brought. */
  private int gained;

  /** How long to leave it alone after it had to shrink, and when that was. */
  private long patience = FIRST_PATIENCE;

  private boolean shrank;
  private long shrankAt;

  /** Shrank for nothing but a refusal, which may have had another reason than want of room. */
  private boolean doubtful;

  /** Usual times to first token, by size of the prompt: a long one is no sign of a queue. */
  private final Quantile[] usual = new Quantile[SIZES];

  /** How many times longer than usual the latest first tokens took. */
  private final double[] ratios = new double[MOST_SAMPLES];

  private int samples;
  private long windowBegan;

  Limit(boolean adaptive, int start, int min, int max) {
    this.adaptive = adaptive;
    this.start = start;
    this.value = start;
    this.min = min;
    this.max = max;
    Arrays.setAll(usual, size -> new Quantile());
  }

  int value() {
    return value;
  }

  /**
   * A call more runs. What mere refusals have taken comes back while it does not bind: a burst that
   * comes later must not find it.
   */
  void used(int running, long now) {
    peak = Math.max(peak, running);
    if (doubtful && value < start && running < value && now - shrankAt >= patience) {
      value = Math.min(start, value * 2);
      shrankAt = now - patience + NEXT_TRY;
    }
  }

  /**
   * What the backend says of itself.
   *
   * @param ours calls of ours there
   * @param running calls in its batch, of anybody
   * @param waiting calls in its queue
   * @param cache share of its KV cache in use; below 0: it does not say
   */
  void told(int ours, double running, double waiting, double cache, long now) {
    toldOnce = true;
    toldAt = now;
    samples = 0;
    if (!adaptive) {
      return;
    }
    double stands = Math.min(waiting, waitedBefore);
    waitedBefore = waiting;
    queueThen = waiting < 1 ? -1 : queueThen;
    if (stands >= 1 + ours / TRANSIENT) {
      giveWay(ours, (int) (ours * running / (running + stands)), waiting, now);
    } else if (grew && ours >= value && waiting >= 1 + ours / TRANSIENT) {
      shrink(value - gained, now); // The last step was in vain; one look is enough to take it back.
    } else if (cache >= CACHE_FULL) {
      shrink(ours - Math.max(1, ours / 20), now);
    } else if (waiting < 1 && cache < CACHE_TIGHT && ours >= value) {
      grow(now);
    }
    peak = ours;
  }

  /**
   * To our share of the batch, once. A queue that does not get shorter by it is that of others, who
   * give way to nobody: to shrink on and on would leave all of the backend to them.
   */
  private void giveWay(int ours, int share, double waiting, long now) {
    boolean tried = queueThen >= 0;
    boolean comesDown = ours > value;
    boolean isOfOthers = waiting > queueThen - givenUp / 2.0;
    if (tried && (comesDown || isOfOthers)) {
      return;
    }
    queueThen = waiting;
    givenUp = Math.max(0, ours - share);
    shrink(share, now);
  }

  /** A first token came so long after its call had got its place. */
  void firstToken(long nanos, long promptChars, long now) {
    if (!adaptive || (toldOnce && now - toldAt < FRESH)) {
      return;
    }
    Quantile normal = usual[size(promptChars)];
    if (normal.size() >= LEAST_SAMPLES) {
      sample((double) nanos / Math.max(1, normal.below(NORMAL_SHARE)), now);
    }
    normal.add(nanos);
  }

  private void sample(double ratio, long now) {
    if (samples == 0) {
      windowBegan = now;
    }
    if (samples < MOST_SAMPLES) {
      ratios[samples++] = ratio;
    }
    if (samples >= LEAST_SAMPLES && now - windowBegan >= WINDOW) {
      decide(now);
    }
  }

  private void decide(long now) {
    Arrays.sort(ratios, 0, samples);
    double median = ratios[samples / 2];
    samples = 0;
    if (median > SLOW && peak >= value * LESS) {
      shrink((int) (Math.min(value, peak) * LESS), now);
    } else if (median < WELL && peak >= value) {
      grow(now);
    }
    peak = 0;
  }

  /**
   * The backend refused a call for want of room. At most half is given up at once: a single refusal
   * while little runs may have had another reason.
   */
  void pushedBack(int ours, long now) {
    if (adaptive && !(shrank && now - shrankAt < WINDOW)) {
      shrink(Math.max(value / 2, (int) (ours * LESS)), now);
      doubtful = true;
    }
  }

  private void shrink(int to, long now) {
    if (to >= value) {
      return;
    }
    value = Math.max(min, to);
    if (grew) {
      patience = Math.min(MOST_PATIENCE, patience * 2);
    }
    grew = false;
    doubtful = false;
    step = 1;
    shrank = true;
    shrankAt = now;
  }

  /** All of it is used and nothing is amiss. */
  private void grow(long now) {
    if (value >= max || (shrank && now - shrankAt < patience)) {
      return;
    }
    if (grew) {
      patience = FIRST_PATIENCE; // The step before was well.
      step *= 2;
    }
    grew = true;
    gained = Math.min(Math.min(step, value), max - value);
    value += gained;
  }

  /** By steps of four: 256 characters and below, a thousand, four thousand. */
  private static int size(long promptChars) {
    int bits = 64 - Long.numberOfLeadingZeros(Math.max(1, promptChars) / 256);
    return Math.min(SIZES - 1, (bits + 1) / 2);
  }
}
