package inferencegateway.health;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that moves when the test says so; steps run on the test's thread, in order. */
final class ManualSchedule implements Schedule {

  private record Step(long at, long number, Runnable work) {}

  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::number));
  private long now = 1_000_000_000L;
  private long numbers;
  private boolean stopped;

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public void after(Duration delay, Runnable step) {
    if (!stopped) {
      steps.add(new Step(now + delay.toNanos(), numbers++, step));
    }
  }

  @Override
  public void stop() {
    stopped = true;
    steps.clear();
  }

  void advance(Duration time) {
    long end = now + time.toNanos();
    while (!steps.isEmpty() && steps.peek().at() <= end) {
      Step step = steps.remove();
      now = step.at();
      step.work().run();
    }
    now = end;
  }
}
