package inferencegateway.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.upstream.EngineLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoadWatchTest {

  private static final EngineLoad LOAD = new EngineLoad(1, 2, 0.3);

  private final List<Consumer<@Nullable EngineLoad>> asked = new ArrayList<>();
  private final List<EngineLoad> heard = new ArrayList<>();
  private boolean busy = true;
  private long now;
  private final LoadWatch watch = new LoadWatch(asked::add, () -> busy, heard::add, () -> now);

  private void look() {
    now += Duration.ofSeconds(1).toNanos();
    watch.look();
  }

  @Test
  void asksEachTimeAndOneQuestionAtATime() {
    look();
    look();
    assertEquals(1, asked.size());
    asked.get(0).accept(LOAD);
    look();
    assertEquals(2, asked.size());
    assertEquals(List.of(LOAD), heard);
  }

  @Test
  void anIdleBackendIsLeftAlone() {
    busy = false;
    look();
    assertTrue(asked.isEmpty());
  }

  @Test
  void oneThatDoesNotSayIsAskedLessAndLessOften() {
    for (int i = 0; i < 600; i++) {
      int before = asked.size();
      look();
      if (asked.size() > before) {
        asked.get(before).accept(null);
      }
    }
    assertTrue(asked.size() > 8 && asked.size() < 20, () -> "asked " + asked.size());
    look();
    assertTrue(heard.isEmpty());
  }

  @Test
  void oneThatSaysAgainIsAskedOftenAgain() {
    look();
    asked.get(0).accept(null);
    look();
    look();
    asked.get(1).accept(LOAD);
    look();
    assertEquals(3, asked.size());
  }
}
