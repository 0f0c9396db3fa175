package inferencegateway.server;

import java.time.Duration;

/** Time, as the drain uses it. */
interface Pace {

  Pace REAL =
      new Pace() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
          Thread.sleep(duration.toMillis(), duration.toNanosPart() % 1_000_000);
        }
      };

  /** Monotonic. */
  long nanoTime();

  void sleep(Duration duration) throws InterruptedException;
}
