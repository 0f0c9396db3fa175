package inferencegateway.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import org.junit.jupiter.api.Test;

class FaultWordsTest {

  @Test
  void exhaustionIsRecognisedHoweverItIsWrapped() {
    assertTrue(
        FaultWords.saysNoMoreFiles(
            new IllegalStateException("no", new IOException("Too many open files"))));
    assertTrue(
        FaultWords.saysNoMoreFiles(
            new IOException("newSocketStream(..) failed: Too many open files in system")));
    assertFalse(FaultWords.saysNoMoreFiles(new IOException("Connection refused")));
    assertTrue(FaultWords.saysNoAddress(new BindException("Cannot assign requested address")));
  }

  @Test
  void innermostCauseIsNamed() {
    assertEquals(
        "IOException: refused",
        FaultWords.of(new IllegalStateException("outer", new IOException("refused"))));
    assertEquals("closed", FaultWords.of(null));
  }
}
