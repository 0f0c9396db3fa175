package inferencegateway.testing;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes the few shapes of ASN.1 DER (X.690) that a certificate needs. */
final class Der {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] tagged(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    writeLength(all, content.size());
    all.writeBytes(content.toByteArray());
    return all.toByteArray();
  }

  private static void writeLength(ByteArrayOutputStream out, int length) {
    if (length < 0x80) {
      out.write(length);
      return;
    }
    byte[] bytes = BigInteger.valueOf(length).toByteArray();
    int from = bytes[0] == 0 ? 1 : 0;
    out.write(0x80 | (bytes.length - from));
    out.write(bytes, from, bytes.length - from);
  }

  static byte[] sequence(byte[]... parts) {
    return tagged(0x30, parts);
  }

  static byte[] integer(long value) {
    return tagged(0x02, BigInteger.valueOf(value).toByteArray());
  }

  static byte[] yes() {
    return tagged(0x01, new byte[] {-1});
  }

  static byte[] octets(byte[] content) {
    return tagged(0x04, content);
  }

  static byte[] bits(byte[] content) {
    return tagged(0x03, new byte[] {0}, content);
  }

  static byte[] time(Instant time) {
    return tagged(0x18, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
  }

  /** As {@code 1.2.840}. */
  static byte[] oid(String dotted) {
    String[] arcs = dotted.split("\\.", -1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(Integer.parseInt(arcs[0]) * 40 + Integer.parseInt(arcs[1]));
    for (int i = 2; i < arcs.length; i++) {
      writeArc(out, Integer.parseInt(arcs[i]));
    }
    return tagged(0x06, out.toByteArray());
  }

  private static void writeArc(ByteArrayOutputStream out, int arc) {
    if (arc >= 0x80) {
      writeHigh(out, arc >>> 7);
    }
    out.write(arc & 0x7f);
  }

  private static void writeHigh(ByteArrayOutputStream out, int rest) {
    if (rest >= 0x80) {
      writeHigh(out, rest >>> 7);
    }
    out.write(rest & 0x7f | 0x80);
  }
}
