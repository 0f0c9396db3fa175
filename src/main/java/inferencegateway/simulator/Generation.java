package inferencegateway.simulator;

import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One answer being generated. As in vLLM the engine's pace does not depend on the client's: while
 * the client takes nothing, tokens gather and then leave in one chunk. Not paced, it is the client
 * that sets the pace.
 *
 * <p>Everything on the connection's loop, but for {@link #turn}, which any loop may run.
 *
 * <pre>
 *   QUEUED -turn-> PREFILL -due-> DECODE -all made-> (delivering) -> over      abort: any -> over
 * </pre>
 */
final class Generation {

  /** How often a wedged engine is looked at again. */
  private static final long WEDGE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Engine engine;
  private final EventLoop loop;
  private final AnswerPlan plan;
  private final AnswerSink sink;
  private final JournalEntry entry;
  private final Pace pace;
  private final Runnable turn = this::turn;
  private final Runnable tick = this::tick;
  private final @Nullable Cut cut;
  private final int end;
  private final boolean wedging;

  private @Nullable Future<?> timer;
  private int made;
  private int sent;
  private boolean holdsPlace;
  private boolean blocked;
  private boolean busy;
  private boolean over;

  Generation(
      Engine engine,
      Connection connection,
      AnswerPlan plan,
      FaultSpec spec,
      AnswerSink sink,
      JournalEntry entry) {
    this.engine = engine;
    this.loop = connection.channel().eventLoop();
    this.plan = plan;
    this.sink = sink;
    this.entry = entry;
    this.pace = new Pace(engine.config(), spec.duration(Fault.INTER_TOKEN));
    this.cut = Cut.of(spec, plan.tokens().size());
    this.end = cut == null ? plan.tokens().size() : cut.after();
    this.wedging = spec.has(Fault.WEDGE);
  }

  /** Takes a slot or a place in the queue; false when there is none. */
  boolean enter() {
    holdsPlace = engine.slots().enter(turn);
    if (holdsPlace && wedging) {
      engine.wedge();
    }
    return holdsPlace;
  }

  private void turn() {
    loop.execute(
        () -> {
          if (!over) {
            pace.start();
            sleep(pace.left());
          }
        });
  }

  private void sleep(long nanos) {
    if (nanos > 0) {
      timer = loop.schedule(tick, nanos, TimeUnit.NANOSECONDS);
    } else {
      loop.execute(tick);
    }
  }

  private void tick() {
    if (over) {
      return;
    }
    if (engine.isWedged()) {
      pace.resume();
      timer = loop.schedule(tick, WEDGE_PAUSE_NANOS, TimeUnit.NANOSECONDS);
      return;
    }
    // A write may make the channel writable again and call back in here.
    busy = true;
    if (pace.isFlatOut()) {
      burst();
    } else {
      keepUp();
    }
    busy = false;
  }

  private void keepUp() {
    while (made < end && pace.left() <= 0) {
      make();
      pace.next();
    }
    boolean more = made < end;
    deliver();
    if (more && !over) {
      sleep(pace.left());
    }
  }

  private void burst() {
    int budget = sink.burst();
    while (made < end && budget-- > 0 && sink.takesMore()) {
      make();
      send(made);
    }
    if (made < end && sink.takesMore()) {
      loop.execute(tick);
    } else {
      deliver();
    }
  }

  private void make() {
    made++;
    engine.tally().generationTokens.increment();
  }

  /** Hands over what was made, if the client takes it, and ends the answer when that was all. */
  private void deliver() {
    while (sent < made && sink.takesMore()) {
      // Merged only after the client held things up.
      send(blocked ? made : sent + 1);
      blocked = false;
    }
    blocked = !sink.takesMore();
    if (made == end) {
      allMade();
    }
  }

  private void send(int to) {
    sink.tokens(sent, to);
    sent = to;
    entry.tokens(to);
  }

  private void allMade() {
    if (cut == null && holdsPlace) {
      engine.tally().finished(plan);
      leave();
    }
    if (!blocked && !over) {
      over = cut == null || cut.kind() != Cut.Kind.STALL;
      conclude();
    }
  }

  private void conclude() {
    if (cut == null) {
      sink.finish();
      return;
    }
    if (over && holdsPlace) {
      engine.tally().faulted.increment();
      leave();
    }
    sink.cut(cut.kind(), sent);
  }

  /** The client takes more again. */
  void writable() {
    if (over || !blocked || busy) {
      return;
    }
    if (pace.isFlatOut()) {
      blocked = false;
      loop.execute(tick);
    } else {
      busy = true;
      deliver();
      busy = false;
    }
  }

  /** The client has left. */
  void abort() {
    if (holdsPlace) {
      engine.tally().aborted.increment();
    }
    ended();
  }

  /** Nothing more is wanted. Harmless when it has ended by itself. */
  void ended() {
    over = true;
    if (timer != null) {
      timer.cancel(false);
    }
    leave();
  }

  private void leave() {
    if (holdsPlace) {
      holdsPlace = false;
      engine.slots().leave(turn);
      if (wedging) {
        engine.unwedge();
      }
    }
  }
}
