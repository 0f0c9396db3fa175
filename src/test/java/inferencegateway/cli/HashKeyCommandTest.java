package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.auth.KeyHash;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashKeyCommandTest {

  private static CliRun hash(String input) {
    return CliRun.with(CliRun.NOTHING, Map.of(), input, "hash-key", "-");
  }

  @Test
  void newKeyIsPrintedWithItsHash() {
    CliRun run = CliRun.of("hash-key");
    assertEquals(0, run.code(), run.err());
    List<String> lines = run.out().lines().toList();
    String key = lines.get(0).substring("key:  ".length());
    assertTrue(key.matches("igw_[A-Za-z0-9_-]{43}"), key);
    assertEquals("hash: " + KeyHash.of(key).text(), lines.get(1));
    assertEquals(2, lines.size());
    assertNotEquals(run.out(), CliRun.of("hash-key").out());
  }

  @Test
  void keyOnStandardInputIsHashedAndNotRepeated() {
    CliRun run = hash("0123456789abcdef0123456789abcdef\n");
    // printf 0123456789abcdef0123456789abcdef | sha256sum
    assertEquals(
        new CliRun(
            0, "sha256:3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9\n", ""),
        run);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "short", "password with blanks 0123456789", "0123456789012345678901\nx"})
  void weakOrUnsendableKeysAreRefusedAndNotShown(String input) {
    CliRun run = hash(input);
    assertEquals(2, run.code());
    assertEquals("", run.out());
    assertTrue(run.err().startsWith("error: the key must be "), run.err());
  }

  @Test
  void keyOnTheCommandLineIsRefused() {
    CliRun run = CliRun.of("hash-key", "0123456789abcdef0123456789abcdef");
    assertEquals(2, run.code());
    assertFalse(run.err().contains("0123"), run.err());
  }
}
