package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HeapNoteTest {

  private static final long GIB = 1L << 30;

  @Test
  void bigHostWithoutBoundIsNoted() {
    String note = HeapNote.of(List.of("-Dx=y"), 1024 * GIB, 256 * GIB).orElseThrow();
    assertTrue(note.contains("java -Xmx1g -jar"), note);
    assertFalse(note.contains("MaxDirectMemorySize"), note);
    assertTrue(note.contains("262144 MiB"), note);
  }

  @Test
  void boundOrSmallHostIsNot() {
    assertEquals(Optional.empty(), HeapNote.of(List.of("-Xmx1g"), 1024 * GIB, GIB));
    assertEquals(
        Optional.empty(), HeapNote.of(List.of("-XX:MaxRAMPercentage=50"), 1024 * GIB, GIB));
    assertEquals(Optional.empty(), HeapNote.of(List.of(), 4 * GIB, GIB));
  }
}
