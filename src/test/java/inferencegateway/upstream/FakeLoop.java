package inferencegateway.upstream;

import inferencegateway.http.CallLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A loop that is the test's own thread, with a clock moved by hand. */
final class FakeLoop implements CallLoop {

  private final Thread owner = Thread.currentThread();
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final List<FakeTimer> timers = new ArrayList<>();
  private Duration now = Duration.ZERO;
  boolean pretendElsewhere;

  @Override
  public boolean isCurrent() {
    return !pretendElsewhere && Thread.currentThread() == owner;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    FakeTimer timer = new FakeTimer(now.plus(delay), task);
    timers.add(timer);
    return timer;
  }

  /** Runs what is queued. */
  void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** Waits for a task from another thread and runs it. */
  void runNext() {
    try {
      Runnable task = tasks.poll(20, TimeUnit.SECONDS);
      if (task == null) {
        throw new AssertionError("nothing came");
      }
      task.run();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  void pass(Duration time) {
    now = now.plus(time);
    List<FakeTimer> due =
        timers.stream()
            .filter(timer -> timer.at.compareTo(now) <= 0)
            .sorted(Comparator.comparing(timer -> timer.at))
            .toList();
    timers.removeAll(due);
    due.stream().filter(timer -> !timer.cancelled).forEach(timer -> timer.task.run());
    run();
  }

  long timersLeft() {
    return timers.stream().filter(timer -> !timer.cancelled).count();
  }

  private static final class FakeTimer implements Timer {
    private final Duration at;
    private final Runnable task;
    private boolean cancelled;

    FakeTimer(Duration at, Runnable task) {
      this.at = at;
      this.task = task;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }
}
