package inferencegateway.simulator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** What all connections share: the batch, the counters, the author, and the faults in force. */
final class Engine {

  /** A fault and how many chat requests it is still for; replaced whole, under the monitor. */
  private record Standing(FaultSpec spec, int left) {

    static Standing of(FaultSpec spec) {
      return new Standing(spec, spec.number(Fault.TIMES, Integer.MAX_VALUE));
    }

    Standing used() {
      return left <= 1 ? of(FaultSpec.NONE) : new Standing(spec, left - 1);
    }
  }

  private final SimulatorConfig config;
  private final SlotQueue slots;
  private final Tally tally = new Tally();
  private final Journal journal;
  private final Author author;
  private final ChatAskReader reader;

  /** How many want the engine to stand still: requests with the wedge fault, and the switch. */
  private final AtomicInteger wedges = new AtomicInteger();

  private volatile Standing standing;
  private final Consumer<Duration> exit;
  private volatile boolean healthy = true;

  /**
   * @param exit stops the server after a while; must not block
   */
  Engine(SimulatorConfig config, Consumer<Duration> exit) {
    this.exit = exit;
    this.config = config;
    this.slots = new SlotQueue(config.slots(), config.queueLimit());
    this.journal = new Journal(config.journal());
    this.author = new Author(config);
    this.reader = new ChatAskReader(config);
    this.standing = Standing.of(config.fault());
  }

  SimulatorConfig config() {
    return config;
  }

  SlotQueue slots() {
    return slots;
  }

  Tally tally() {
    return tally;
  }

  Journal journal() {
    return journal;
  }

  Author author() {
    return author;
  }

  ChatAskReader reader() {
    return reader;
  }

  synchronized void fault(FaultSpec spec) {
    standing = Standing.of(spec);
  }

  /** The standing fault, without using it up. */
  FaultSpec standingFault() {
    return standing.spec();
  }

  /** The standing fault for one more chat request. */
  FaultSpec takeFault() {
    FaultSpec now = standing.spec();
    return now.has(Fault.TIMES) ? countedFault() : now;
  }

  private synchronized FaultSpec countedFault() {
    Standing now = standing;
    standing = now.used();
    return now.spec();
  }

  void exitAfter(Duration delay) {
    exit.accept(delay);
  }

  void wedge() {
    wedges.incrementAndGet();
  }

  void unwedge() {
    wedges.decrementAndGet();
  }

  boolean isWedged() {
    return wedges.get() > 0;
  }

  void healthy(boolean value) {
    healthy = value;
  }

  boolean isHealthy() {
    return healthy;
  }

  SimulatorCounters counters() {
    return new SimulatorCounters(
        slots.running(),
        slots.waiting(),
        tally.stopped.sum() + tally.cutByLength.sum(),
        tally.aborted.sum(),
        tally.faulted.sum(),
        tally.generationTokens.sum(),
        tally.disconnected.sum(),
        tally.connections.sum());
  }
}
