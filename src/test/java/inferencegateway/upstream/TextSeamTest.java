package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TextSeamTest {

  private static String joined(String... pieces) {
    TextSeam seam = new TextSeam();
    StringBuilder text = new StringBuilder();
    for (String piece : pieces) {
      text.append(seam.join(piece));
    }
    return text.append(seam.end()).toString();
  }

  @Test
  void aPairSplitOverTwoPiecesIsJoined() {
    assertEquals("a\ud83d\ude00b", joined("a\ud83d", "\ude00b"));
    assertEquals("\ud83d\ude00", joined("\ud83d", "", "\ude00"));
  }

  @Test
  void aLoneHalfIsReplaced() {
    assertEquals("a\uFFFDb", joined("a\ud83d", "b"));
    assertEquals("a\uFFFDb", joined("a\ude00b"));
    assertEquals("\uFFFD", joined("\ud83d"));
    assertEquals("\uFFFD\ud83d\ude00", joined("\ud83d", "\ud83d", "\ude00"));
  }

  @Test
  void halfACharacterIsNotShown() {
    assertEquals("", new TextSeam().join("\ud83d"));
  }

  @Property
  void anySplitGivesTheSameText(@ForAll List<Character> chars, @ForAll int cut) {
    StringBuilder whole = new StringBuilder();
    chars.forEach(whole::append);
    int at = chars.isEmpty() ? 0 : Math.floorMod(cut, chars.size() + 1);
    String text = whole.toString();
    assertEquals(joined(text), joined(text.substring(0, at), text.substring(at)));
    assertEquals(
        new String(
            text.getBytes(java.nio.charset.StandardCharsets.UTF_16BE),
            java.nio.charset.StandardCharsets.UTF_16BE),
        joined(text));
  }
}
