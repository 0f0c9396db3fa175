package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WireTextTest {

  /** Unicode 15, tables 3-8 to 3-11, and the edges around them. */
  @ParameterizedTest
  @CsvSource({
    "C0AFE080BFF081824 1, ????????A",
    "EDA080EDBFBFEDAF41, ????????A",
    "F4919293FF4180BF42, ?????A??B",
    "E180E2F09192F1BF41, ????A",
    "EDA0BDEDB880, ??????",
    "E4BDA0E5A5, 你?",
    "F09F98, ?",
    "F09F9880, \uD83D\uDE00",
    "80, ?",
    "FE, ?",
    "C2, ?",
    "C280, \u0080",
    "EFBFBD41, ?A"
  })
  void everyMaximalSubpartBecomesOneReplacement(String hex, String expected) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertEquals(expected.replace('?', '\uFFFD'), WireText.decode(bytes, 0, bytes.length));
  }

  @Property
  void validTextIsReadAsItIs(@ForAll String any) {
    byte[] bytes = any.getBytes(UTF_8);
    assertEquals(new String(bytes, UTF_8), WireText.decode(bytes, 0, bytes.length));
  }

  /** Java's decoder agrees but for raw surrogates, whose lead byte is ED. */
  @Property(tries = 2_000)
  void otherwiseItIsWhatJavaDoes(@ForAll @Size(max = 40) byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = bytes[i] == (byte) 0xED ? (byte) 0xE3 : bytes[i];
    }
    assertEquals(new String(bytes, UTF_8), WireText.decode(bytes, 0, bytes.length));
  }

  @Property
  void asciiIsSeenWhereverItLies(@ForAll @Size(max = 40) byte[] bytes, @ForAll boolean clean) {
    boolean ascii = true;
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = clean ? (byte) (bytes[i] & 0x7F) : bytes[i];
      ascii &= bytes[i] >= 0;
    }
    byte[] shifted = new byte[bytes.length + 3];
    System.arraycopy(bytes, 0, shifted, 2, bytes.length);
    shifted[0] = -1;
    assertEquals(ascii, WireText.isAscii(shifted, 2, bytes.length));
  }

  @Test
  void emptyIsAscii() {
    assertEquals(true, WireText.isAscii(new byte[0], 0, 0));
  }
}
