package inferencegateway.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PoolTest {

  private static final int SESSIONS = 2_000;

  private static Pool pool(List<Backend> backends) {
    return new Pool(backends, "m", 1);
  }

  private static Backend home(Pool pool, int session) {
    return Objects.requireNonNull(
        pool.preferred(Hashing.of("session-" + session) | 1, each -> true, place -> true));
  }

  private static List<Backend> homes(Pool pool) {
    List<Backend> homes = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      homes.add(home(pool, i));
    }
    return homes;
  }

  @Test
  void sessionsAreSpreadEvenly() {
    Map<Backend, Integer> count = new HashMap<>();
    homes(pool(Backends.several(5))).forEach(home -> count.merge(home, 1, Integer::sum));
    assertEquals(5, count.size());
    count.values().forEach(each -> assertTrue(each > 320 && each < 480, "of 2,000 in 5: " + count));
  }

  @Test
  void sessionsFollowTheWeights() {
    Backend light = Backends.backend(Backends.config("light", 1, false));
    Backend heavy = Backends.backend(Backends.config("heavy", 3, false));
    long heavies =
        homes(pool(List.of(light, heavy))).stream().filter(home -> home == heavy).count();
    assertTrue(heavies > 1_400 && heavies < 1_600, "of 2,000 at three quarters: " + heavies);
  }

  @Test
  void onlyTheSessionsOfABackendThatGoesMove() {
    List<Backend> all = Backends.several(5);
    List<Backend> before = homes(pool(all));
    Backend gone = all.get(2);
    List<Backend> after = homes(pool(all.stream().filter(each -> each != gone).toList()));
    for (int i = 0; i < SESSIONS; i++) {
      if (before.get(i) != gone) {
        assertEquals(before.get(i), after.get(i));
      }
    }
  }

  @Test
  void aBackendAboveItsFairShareIsPassedOver() {
    List<Backend> all = Backends.several(3);
    Pool pool = pool(all);
    Backend preferred = home(pool, 1);
    preferred.reports(10, 0);
    all.stream().filter(each -> each != preferred).forEach(each -> each.reports(8, 0));
    assertEquals(preferred, home(pool, 1), "a little more is no reason");
    preferred.reports(20, 0);
    Backend next = home(pool, 1);
    assertNotEquals(preferred, next);
    assertEquals(next, home(pool, 1), "the same second one each time");
  }

  @Test
  void leastWorkForItsWeightIsChosen() {
    Backend light = Backends.backend(Backends.config("light", 1, false));
    Backend heavy = Backends.backend(Backends.config("heavy", 4, false));
    Pool pool = pool(List.of(light, heavy));
    light.reports(2, 0);
    heavy.reports(7, 0);
    assertEquals(heavy, pool.leastBusy(0, each -> true, place -> true));
    heavy.reports(12, 0);
    assertEquals(light, pool.leastBusy(0, each -> true, place -> true));
  }

  @Test
  void equalsTakeTurns() {
    Pool pool = pool(Backends.several(3));
    Map<Backend, Integer> count = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      Backend chosen = pool.leastBusy(Hashing.of("call-" + i), each -> true, place -> true);
      count.merge(Objects.requireNonNull(chosen), 1, Integer::sum);
    }
    count.values().forEach(each -> assertTrue(each > 60, count.toString()));
  }
}
