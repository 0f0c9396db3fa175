package inferencegateway.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SeamTest {

  /** What a caller has in the end when the second part comes in these pieces. */
  private static String joined(String first, String... second) {
    String beginning = Seam.beginning(first);
    Seam seam = new Seam(first.substring(beginning.length()));
    StringBuilder all = new StringBuilder(first);
    for (String piece : second) {
      all.append(seam.join(piece));
    }
    return all.toString();
  }

  @Test
  void whiteSpaceAtTheEndIsNoPartOfTheBeginning() {
    assertEquals("a b", Seam.beginning("a b \n\t\u00a0\u3000"));
    assertEquals("", Seam.beginning(" \n"));
    assertTrue(Seam.isBlank("\u2028 "));
  }

  @Test
  void whiteSpaceThatIsWrittenAgainIsSwallowed() {
    assertEquals("a\n\nb", joined("a\n\n", "\n\nb"));
    assertEquals("a\n\nb", joined("a\n\n", "\n", "\n", "b"));
    assertEquals("a\n\n  b", joined("a\n\n", "\n\n ", " b"));
  }

  @Test
  void whatIsWrittenOtherwiseIsKept() {
    assertEquals("a b", joined("a ", "b"));
    assertEquals("a\n\nb\nc", joined("a\n\n", "\nb", "\nc"));
    assertEquals("a \tb", joined("a ", "\tb"));
  }

  @Test
  void textWithoutWhiteSpaceAtItsEndIsGoneOnWithAsItComes() {
    assertEquals("a b", joined("a", " b"));
    assertEquals("a\n", joined("a", "\n"));
  }
}
