package inferencegateway.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RequestMemoryTest {

  private static final long MIB = 1 << 20;

  private final RequestMemory memory = new RequestMemory(8 * MIB);

  @Test
  void whatIsAboveTheLimitIsRefusedAndCountedAllTheSame() {
    assertTrue(memory.hold(8 * MIB, 8 * MIB));
    assertFalse(memory.hold(MIB, MIB));
    assertEquals(9 * MIB, memory.held());
  }

  @Test
  void whatWasGivenBackMakesRoom() {
    assertFalse(memory.hold(9 * MIB, 9 * MIB));
    memory.giveBack(9 * MIB);
    assertTrue(memory.hold(8 * MIB, 8 * MIB));
  }

  @Test
  void smallCallsAreRefusedLater() {
    assertFalse(memory.hold(9 * MIB, 9 * MIB));
    assertTrue(memory.hold(1_000, 1_000));
    assertFalse(memory.hold(2 * MIB, 2 * MIB));
    assertFalse(memory.hold(1_000, 1_000));
  }
}
