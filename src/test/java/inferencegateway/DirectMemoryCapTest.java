package inferencegateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class DirectMemoryCapTest {

  private static final long MIB = 1L << 20;

  @Test
  void isAGibibyteOnABigHost() {
    assertEquals(1024 * MIB, DirectMemoryCap.of(1024 * MIB, 64 * 1024 * MIB));
    assertEquals(1024 * MIB, DirectMemoryCap.of(4096 * MIB, 64 * 1024 * MIB));
    assertEquals(1024 * MIB, DirectMemoryCap.of(4096 * MIB, Long.MAX_VALUE));
  }

  @Test
  void isNoMoreThanTheHeap() {
    assertEquals(256 * MIB, DirectMemoryCap.of(256 * MIB, 64 * 1024 * MIB));
  }

  @Test
  void leavesRoomForTheRestInAContainer() {
    assertEquals(256 * MIB, DirectMemoryCap.of(512 * MIB, 1024 * MIB));
    assertEquals(512 * MIB, DirectMemoryCap.of(1024 * MIB, 2048 * MIB));
  }

  @Test
  void isNeverTooSmallToServe() {
    assertEquals(32 * MIB, DirectMemoryCap.of(1024 * MIB, 1024 * MIB));
    assertEquals(32 * MIB, DirectMemoryCap.of(2048 * MIB, 1024 * MIB));
  }

  @Test
  void knowsTheHostsMemory() {
    assertTrue(DirectMemoryCap.memoryOfHost() > 64 * MIB);
  }
}
