package inferencegateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * An HTTP/2 client without manners of its own: it sends what the test says, right or wrong, and
 * keeps every frame that comes back. Plaintext, loopback, one reader thread. Methods that send may
 * be called from any thread.
 */
public final class RawH2 implements AutoCloseable {
  private static final int SETTINGS_INITIAL_WINDOW_SIZE = 4;
  private static final int DEFAULT_WINDOW = 65_535;
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  private final Socket socket;
  private final H2Behaviour behaviour;
  private final FrameWriter writer;
  private final FrameLog log = new FrameLog();
  private final SendWindow sendWindow = new SendWindow();
  private final AtomicInteger nextStream = new AtomicInteger(1);
  private final CountDownLatch silenceOver = new CountDownLatch(1);
  private volatile boolean silent;

  private RawH2(Socket socket, H2Behaviour behaviour) throws IOException {
    this.socket = socket;
    this.behaviour = behaviour;
    this.writer = new FrameWriter(socket.getOutputStream());
  }

  public static RawH2 connect(int port) {
    return connect(port, H2Behaviour.polite());
  }

  /** Connects and says preface, SETTINGS and the connection's window. */
  public static RawH2 connect(int port, H2Behaviour behaviour) {
    try {
      Socket socket = new Socket();
      if (behaviour.receiveBuffer() > 0) {
        socket.setReceiveBufferSize(behaviour.receiveBuffer());
      }
      socket.setTcpNoDelay(true);
      InetAddress loopback = InetAddress.getLoopbackAddress();
      socket.connect(new InetSocketAddress(loopback, port), (int) CONNECT_LIMIT.toMillis());
      RawH2 connection = new RawH2(socket, behaviour);
      connection.start();
      return connection;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The preface must be first on the wire, so the reader, which acknowledges, starts last. */
  private void start() throws IOException {
    writer.preface();
    settings(SETTINGS_INITIAL_WINDOW_SIZE, behaviour.initialWindow());
    if (behaviour.connectionWindow() > DEFAULT_WINDOW) {
      windowUpdate(0, behaviour.connectionWindow() - DEFAULT_WINDOW);
    }
    FrameReader reader = new FrameReader(socket.getInputStream());
    Thread thread = new Thread(() -> readAll(reader), "raw-h2-reader");
    thread.setDaemon(true);
    thread.start();
  }

  /** A call to {@code path}, for instance {@code /inference.InferenceService/Generate}. */
  public RawCall call(String path) {
    return new RawCall(this, path);
  }

  RawStream open(byte[] headerBlock, boolean endStream) {
    // Ids must reach the wire in order, whoever opens.
    synchronized (nextStream) {
      int id = nextStream.getAndAdd(2);
      sendWindow.open(id);
      writer.headers(id, headerBlock, endStream);
      return new RawStream(this, id, log, sendWindow);
    }
  }

  /** One setting; an id and its value as in RFC 9113 section 6.5.2. */
  public void settings(int id, int value) {
    byte[] setting = ByteBuffer.allocate(6).putShort((short) id).putInt(value).array();
    frame(FrameType.SETTINGS, 0, 0, setting);
  }

  public void windowUpdate(int stream, int bytes) {
    writer.frame(FrameType.WINDOW_UPDATE, stream, bytes);
  }

  /** A server with a ping limit counts these and gives the connection up after a few. */
  public void ping(long data) {
    frame(FrameType.PING, 0, 0, ByteBuffer.allocate(8).putLong(data).array());
  }

  public void goAway(int errorCode) {
    byte[] payload = ByteBuffer.allocate(8).putInt(0).putInt(errorCode).array();
    frame(FrameType.GOAWAY, 0, 0, payload);
  }

  public void resetStream(int stream, int errorCode) {
    writer.frame(FrameType.RST_STREAM, stream, errorCode);
  }

  /** Any frame, right or wrong; flow control is not asked. */
  public void frame(FrameType type, int flags, int stream, byte[] payload) {
    writer.frame(type, flags, stream, payload);
  }

  /** Bytes that need not be a frame at all. */
  public void bytes(byte[] bytes) {
    writer.raw(bytes);
  }

  /**
   * From now on nothing is read, recorded or answered and the socket stays open: a peer that
   * vanished. A frame that was being read is dropped.
   */
  public void goSilent() {
    silent = true;
  }

  /** Ends the connection by a TCP reset. */
  public void abort() {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException alreadyClosed) {
      // Then there is nothing left to reset.
    }
    close();
  }

  /** All frames so far, in order. */
  public List<Frame> frames() {
    return log.all();
  }

  /** The first matching frame, past or to come; fails after {@code limit} or at the close. */
  public Frame awaitFrame(Predicate<Frame> wanted, Duration limit) {
    return log.await(wanted, limit);
  }

  /** Whether no matching frame was there or came in all of {@code time}. */
  public boolean staysWithout(Predicate<Frame> unwanted, Duration time) {
    return !log.waitUntil(() -> log.all().stream().anyMatch(unwanted), time);
  }

  /** Waits until the server has closed or reset the connection; fails after {@code limit}. */
  public void awaitClosed(Duration limit) {
    if (!log.waitUntil(log::isClosed, limit)) {
      throw new AssertionError("not closed within " + limit + "; " + log);
    }
  }

  public boolean isClosed() {
    return log.isClosed();
  }

  /** Closes the socket (FIN, or RST where unread data is left). */
  @Override
  public void close() {
    silenceOver.countDown();
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readAll(FrameReader reader) {
    try {
      for (Frame frame = reader.next(); !silent; frame = reader.next()) {
        // Flow control first: a test that saw the frame may rely on its effect.
        account(frame);
        log.add(frame);
        answer(frame);
      }
      silenceOver.await();
    } catch (IOException | UncheckedIOException end) {
      // The connection is over; the log says so.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      log.close();
    }
  }

  private void account(Frame frame) {
    switch (frame.type()) {
      case WINDOW_UPDATE ->
          sendWindow.add(frame.stream(), ByteBuffer.wrap(frame.payload()).getInt());
      case RST_STREAM -> sendWindow.close(frame.stream());
      case SETTINGS -> readSettings(ByteBuffer.wrap(frame.payload()));
      default -> {}
    }
  }

  private void readSettings(ByteBuffer settings) {
    while (settings.remaining() >= 6) {
      int id = settings.getShort();
      int value = settings.getInt();
      if (id == SETTINGS_INITIAL_WINDOW_SIZE) {
        sendWindow.initial(value);
      }
    }
  }

  private void answer(Frame frame) {
    if (frame.is(FrameType.SETTINGS) && !frame.isAck() && behaviour.acksSettings()) {
      frame(FrameType.SETTINGS, Frame.ACK, 0, new byte[0]);
    } else if (frame.is(FrameType.PING) && !frame.isAck() && behaviour.acksPings()) {
      frame(FrameType.PING, Frame.ACK, 0, frame.payload());
    } else if (frame.is(FrameType.DATA) && frame.length() > 0 && behaviour.refillsWindows()) {
      windowUpdate(0, frame.length());
      if (!frame.endsStream()) {
        windowUpdate(frame.stream(), frame.length());
      }
    }
  }
}
