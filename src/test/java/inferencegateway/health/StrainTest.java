package inferencegateway.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StrainTest {

  private static final class Told implements Strain.Readings {
    double heap;
    double direct;
    long collections;
    boolean fewFiles;

    @Override
    public double heap() {
      return heap;
    }

    @Override
    public long collections() {
      return collections;
    }

    @Override
    public double direct() {
      return direct;
    }

    @Override
    public boolean fewFiles() {
      return fewFiles;
    }
  }

  private final Told told = new Told();
  private final Readiness readiness = new Readiness();
  private long now;
  private int collected;
  private final Strain strain = new Strain(told, readiness, () -> collected++, () -> now);

  @BeforeEach
  void wouldBeReady() {
    readiness.upstream(Readiness.Upstream.UP);
    readiness.warm();
  }

  private void look(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now += Duration.ofSeconds(1).toNanos();
      strain.look();
    }
  }

  @Test
  void aFullHeapOrMemoryOutsideOfItShedsUntilThereIsRoom() {
    look(1);
    assertFalse(strain.isShortOfMemory());
    told.heap = 0.86;
    look(1);
    assertTrue(strain.isShortOfMemory());
    told.heap = 0.5;
    told.direct = 0.81;
    look(1);
    assertTrue(strain.isShortOfMemory());
    told.direct = 0.5;
    look(1);
    assertFalse(strain.isShortOfMemory());
    assertTrue(readiness.isReady());
  }

  @Test
  void notReadyOnlyWhenItLasts() {
    told.heap = 0.96;
    look(9);
    assertTrue(readiness.isReady());
    told.heap = 0.9;
    look(1);
    told.heap = 0.96;
    look(10);
    assertTrue(readiness.isReady());
    look(1);
    assertFalse(readiness.isReady());
    told.heap = 0.9;
    look(1);
    assertTrue(readiness.isReady());
  }

  /** With nobody let in, nothing would ever be collected. */
  @Test
  void asksForACollectionWhereNoneComes() {
    told.heap = 0.9;
    look(4);
    assertEquals(0, collected);
    look(1);
    assertEquals(1, collected);
    told.collections++;
    look(5);
    assertEquals(1, collected);
  }

  @Test
  void withoutFilesNotReadyAndBackAgain() {
    strain.sawNoSockets();
    assertFalse(readiness.isReady());
    look(1);
    assertFalse(readiness.isReady());
    look(1);
    assertTrue(readiness.isReady());
    told.fewFiles = true;
    look(1);
    assertFalse(readiness.isReady());
    told.fewFiles = false;
    look(1);
    assertTrue(readiness.isReady());
  }

  @Test
  void aDrainingGatewayStaysNotReady() {
    readiness.drain();
    strain.sawNoSockets();
    look(2);
    assertFalse(readiness.isReady());
  }

  @Test
  void thisProcessHasPlausibleFigures() {
    System.gc();
    HostReadings readings = new HostReadings(() -> 0.25);
    assertTrue(readings.heap() > 0 && readings.heap() < 0.85, () -> "heap " + readings.heap());
    assertTrue(readings.collections() > 0);
    assertEquals(0.25, readings.direct());
    assertFalse(readings.fewFiles());
  }
}
