package inferencegateway.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopsTest {
  private final Loops loops = new Loops("some", 2);

  @BeforeEach
  void start() {
    loops.start();
  }

  @AfterEach
  void close() {
    loops.close();
  }

  @Test
  void currentIsTheLoopThatRunsTheTask() throws Exception {
    for (int i = 0; i < 4; i++) {
      CallLoop loop = loops.next();
      CompletableFuture<CallLoop> seen = new CompletableFuture<>();
      loop.execute(() -> seen.complete(loops.current()));
      assertSame(loop, seen.get(5, TimeUnit.SECONDS));
      assertFalse(loop.isCurrent());
    }
  }

  @Test
  void currentIsRefusedElsewhere() throws Exception {
    assertThrows(IllegalStateException.class, loops::current);
    try (Loops others = new Loops("others", 1)) {
      others.start();
      CompletableFuture<CallLoop> seen = new CompletableFuture<>();
      others
          .next()
          .execute(
              () -> {
                try {
                  seen.complete(loops.current());
                } catch (IllegalStateException e) {
                  seen.completeExceptionally(e);
                }
              });
      assertThrows(Exception.class, () -> seen.get(5, TimeUnit.SECONDS));
    }
  }

  @Test
  void loopsTakeTurns() {
    CallLoop first = loops.next();
    CallLoop second = loops.next();
    assertFalse(first == second);
    assertSame(first, loops.next());
  }

  @Test
  void threadsAreNamedDaemons() throws Exception {
    CompletableFuture<Thread> seen = new CompletableFuture<>();
    loops.next().execute(() -> seen.complete(Thread.currentThread()));
    Thread thread = seen.get(5, TimeUnit.SECONDS);
    assertTrue(thread.isDaemon());
    assertTrue(thread.getName().startsWith("some"), thread.getName());
  }

  @Test
  void timerRunsOnTheLoopUnlessCancelled() throws Exception {
    CallLoop loop = loops.next();
    CountDownLatch ran = new CountDownLatch(1);
    AtomicBoolean cancelledRan = new AtomicBoolean();
    loop.execute(
        () -> {
          CallLoop.Timer timer = loop.schedule(Duration.ofMillis(1), () -> cancelledRan.set(true));
          timer.cancel();
          timer.cancel();
        });
    loop.schedule(
        Duration.ofMillis(20),
        () -> {
          assertTrue(loop.isCurrent());
          ran.countDown();
        });
    assertTrue(ran.await(5, TimeUnit.SECONDS));
    assertFalse(cancelledRan.get());
  }

  @Test
  void nothingWorksBeforeStart() {
    Loops idle = new Loops("idle", 1);
    assertThrows(IllegalStateException.class, idle::group);
    assertThrows(IllegalStateException.class, idle::bossGroup);
    assertThrows(IllegalStateException.class, idle::next);
    idle.close();
  }

  @Test
  void closeEndsTheThreads() {
    loops.close();
    assertTrue(loops.group().isTerminated());
    assertTrue(loops.bossGroup().isTerminated());
  }

  @Test
  void noThreadsIsRefused() {
    assertEquals(
        "threads must be at least 1, was 0",
        assertThrows(IllegalArgumentException.class, () -> new Loops("none", 0)).getMessage());
  }
}
