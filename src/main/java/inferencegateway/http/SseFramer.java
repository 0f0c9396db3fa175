package inferencegateway.http;

/**
 * Cuts a stream of bytes into server-sent events, as the WHATWG's HTML standard (9.2.6) interprets
 * them. Only the data is handed out; comments and the fields event, id and retry are read over.
 *
 * <p>An event whose data field is there but empty is an event with empty data; one without a data
 * field is none. An event that lies whole in the fed array is handed out from there; otherwise it
 * is gathered, and what is gathered is bounded. Not thread-safe.
 */
public final class SseFramer {

  /**
   * Receives the events, inside {@link SseFramer#feed}. Must not feed; may end the framer, and then
   * hears no more.
   */
  public interface Sink {
    /**
     * The joined data lines.
     *
     * @param data valid until the return
     * @param length may be 0
     */
    void onEvent(byte[] data, int offset, int length);

    /** An event is larger than allowed. Once; all that follows is discarded. */
    void onTooLarge();
  }

  /** Room for the field's name and a byte order mark before the longest data allowed. */
  private static final int LINE_EXTRA_BYTES = 16;

  private static final int KEPT_BYTES = 16 * 1024;
  private static final byte[] NONE = {};

  private final int maxEventBytes;
  private final Sink sink;

  /** The beginning of a line whose end has not come. */
  private byte[] line = NONE;

  private int lineLength;

  /** The data lines of the event under way: in {@link #gathered}, or still in the fed array. */
  private byte[] data = NONE;

  private int dataStart;
  private int dataEnd;
  private boolean hasData;
  private boolean dataIsFed;
  private byte[] gathered = NONE;

  private boolean firstLine = true;
  private boolean afterReturn;
  private boolean dead;

  /**
   * @param maxEventBytes longest data of one event, its line feeds included
   */
  public SseFramer(int maxEventBytes, Sink sink) {
    this.maxEventBytes = maxEventBytes;
    this.sink = sink;
  }

  /** The next bytes, cut anywhere. The array is not kept. */
  public void feed(byte[] bytes, int offset, int length) {
    int at = offset;
    int end = offset + length;
    while (at < end && !dead) {
      if (afterReturn) {
        afterReturn = false;
        if (bytes[at] == '\n') {
          at++;
          continue;
        }
      }
      int stop = lineEnd(bytes, at, end);
      if (stop == end) {
        keep(bytes, at, end);
        break;
      }
      endLine(bytes, at, stop);
      afterReturn = bytes[stop] == '\r';
      at = stop + 1;
    }
    if (dataIsFed) {
      gather();
    }
  }

  private static int lineEnd(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && bytes[at] != '\n' && bytes[at] != '\r') {
      at++;
    }
    return at;
  }

  /**
   * The stream is over; what is unfinished is discarded, as the standard says.
   *
   * @return whether there was any
   */
  public boolean end() {
    boolean pending = lineLength > 0 || hasData;
    dead = true;
    line = NONE;
    lineLength = 0;
    clearData();
    return pending;
  }

  private void keep(byte[] bytes, int from, int end) {
    int length = end - from;
    if (isTooLong((long) lineLength + length)) {
      return;
    }
    line = withRoom(line, lineLength, lineLength + length);
    System.arraycopy(bytes, from, line, lineLength, length);
    lineLength += length;
  }

  private boolean isTooLong(long length) {
    if (length > (long) maxEventBytes + LINE_EXTRA_BYTES) {
      tooLarge();
    }
    return dead;
  }

  private void endLine(byte[] bytes, int from, int end) {
    if (lineLength == 0) {
      if (!isTooLong((long) end - from)) {
        onLine(bytes, from, end, true);
      }
      return;
    }
    keep(bytes, from, end);
    if (!dead) {
      int length = lineLength;
      lineLength = 0;
      onLine(line, 0, length, false);
      line = line.length > KEPT_BYTES ? NONE : line;
    }
  }

  private void onLine(byte[] bytes, int from, int end, boolean fed) {
    int start = from;
    if (firstLine) {
      firstLine = false;
      start += hasByteOrderMark(bytes, from, end) ? 3 : 0;
    }
    if (start == end) {
      dispatch();
    } else {
      int value = dataValue(bytes, start, end);
      if (value >= 0) {
        onData(bytes, value, end, fed);
      }
    }
  }

  private static boolean hasByteOrderMark(byte[] bytes, int from, int end) {
    return end - from >= 3
        && bytes[from] == (byte) 0xEF
        && bytes[from + 1] == (byte) 0xBB
        && bytes[from + 2] == (byte) 0xBF;
  }

  /** Where the value of a data field begins; negative for anything else. */
  private static int dataValue(byte[] b, int from, int end) {
    boolean named =
        end - from >= 4
            && b[from] == 'd'
            && b[from + 1] == 'a'
            && b[from + 2] == 't'
            && b[from + 3] == 'a';
    int colon = from + 4;
    if (!named || (colon < end && b[colon] != ':')) {
      return -1;
    }
    if (colon == end) {
      return end;
    }
    return colon + 1 < end && b[colon + 1] == ' ' ? colon + 2 : colon + 1;
  }

  private void onData(byte[] bytes, int from, int end, boolean fed) {
    int length = end - from;
    long total = hasData ? (long) dataEnd - dataStart + 1 + length : length;
    if (total > maxEventBytes) {
      tooLarge();
    } else if (hasData) {
      join(bytes, from, length);
    } else if (fed) {
      hold(bytes, from, end, true);
    } else {
      // The line's own buffer becomes the event's: no second copy of a long line.
      line = gathered;
      gathered = bytes;
      hold(bytes, from, end, false);
    }
  }

  private void hold(byte[] bytes, int from, int end, boolean fed) {
    data = bytes;
    dataStart = from;
    dataEnd = end;
    dataIsFed = fed;
    hasData = true;
  }

  private void join(byte[] bytes, int from, int length) {
    if (dataIsFed) {
      gather();
    }
    gathered = withRoom(gathered, dataEnd, dataEnd + 1 + length);
    gathered[dataEnd] = '\n';
    System.arraycopy(bytes, from, gathered, dataEnd + 1, length);
    hold(gathered, dataStart, dataEnd + 1 + length, false);
  }

  /** Copies what would be lost when the fed array goes. */
  private void gather() {
    int length = dataEnd - dataStart;
    gathered = withRoom(gathered, 0, length);
    System.arraycopy(data, dataStart, gathered, 0, length);
    hold(gathered, 0, length, false);
  }

  private void dispatch() {
    if (hasData) {
      sink.onEvent(data, dataStart, dataEnd - dataStart);
      clearData();
    }
  }

  private void clearData() {
    hasData = false;
    dataIsFed = false;
    data = NONE;
    if (gathered.length > KEPT_BYTES) {
      gathered = NONE;
    }
  }

  private void tooLarge() {
    end();
    sink.onTooLarge();
  }

  /** Doubles, so that a long line fed in small pieces is copied a bounded number of times. */
  private byte[] withRoom(byte[] buffer, int used, int needed) {
    if (needed <= buffer.length) {
      return buffer;
    }
    long bound = 2L * (maxEventBytes + (long) LINE_EXTRA_BYTES);
    long size = Math.min(Math.max(256, Math.max(needed, 2L * buffer.length)), bound);
    byte[] larger = new byte[(int) Math.max(needed, Math.min(size, Integer.MAX_VALUE - 16))];
    System.arraycopy(buffer, 0, larger, 0, used);
    return larger;
  }
}
