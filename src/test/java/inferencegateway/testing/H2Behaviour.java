package inferencegateway.testing;

/**
 * How a {@link RawH2} behaves by itself. Tests change single traits with the methods below.
 *
 * @param initialWindow SETTINGS_INITIAL_WINDOW_SIZE: bytes the server may send on a new stream
 * @param connectionWindow bytes the server may send in all before an update; 65,535 sends none
 * @param refillsWindows whether what was read is given back at once (a fast reader)
 * @param acksSettings whether the server's SETTINGS are acknowledged
 * @param acksPings whether the server's PINGs are answered
 * @param receiveBuffer SO_RCVBUF in bytes, 0 for the system's own
 */
public record H2Behaviour(
    int initialWindow,
    int connectionWindow,
    boolean refillsWindows,
    boolean acksSettings,
    boolean acksPings,
    int receiveBuffer) {

  /** Well-behaved, and so wide at connection level that only stream windows bind. */
  public static H2Behaviour polite() {
    return new H2Behaviour(65_535, 1 << 30, true, true, true, 0);
  }

  /** Lets the server send {@code window} bytes per stream and never more unless the test says. */
  public static H2Behaviour fixedWindow(int window) {
    return new H2Behaviour(window, 1 << 30, false, true, true, 0);
  }

  public H2Behaviour withConnectionWindow(int bytes) {
    return new H2Behaviour(
        initialWindow, bytes, refillsWindows, acksSettings, acksPings, receiveBuffer);
  }

  public H2Behaviour withoutSettingsAck() {
    return new H2Behaviour(
        initialWindow, connectionWindow, refillsWindows, false, acksPings, receiveBuffer);
  }

  public H2Behaviour withoutPingAck() {
    return new H2Behaviour(
        initialWindow, connectionWindow, refillsWindows, acksSettings, false, receiveBuffer);
  }

  public H2Behaviour withReceiveBuffer(int bytes) {
    return new H2Behaviour(
        initialWindow, connectionWindow, refillsWindows, acksSettings, acksPings, bytes);
  }
}
