package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response. Everything runs on the lane's loop; the methods of {@link Exchange}
 * hop there.
 *
 * <pre>
 *  NEW -> CONNECTING -> WAITING -> ANSWERED -> ENDING -> DONE      any -> DONE
 *             ^            |
 *             +------------+  once, when a used connection turns out to be dead
 * </pre>
 */
final class ClientExchange implements Exchange, Runnable {
  private enum State {
    NEW,
    CONNECTING,
    WAITING,
    ANSWERED,
    ENDING,
    DONE
  }

  private final Lane lane;
  private final RequestBytes request;
  private final ResponseHandler handler;
  private State state = State.NEW;
  private @Nullable Dial dial;
  private @Nullable Connection connection;

  /** What {@link #abort} closed. */
  private @Nullable Connection left;

  private boolean paused;
  private boolean sentTold;
  private boolean unwanted;

  /** Written on the loop, read by whoever writes the log. */
  private volatile ConnectionUse use = new ConnectionUse(false, 0);

  ClientExchange(Lane lane, RequestBytes request, ResponseHandler handler) {
    this.lane = lane;
    this.request = request;
    this.handler = handler;
  }

  /** A task of its own, so that the handler is never called before {@code send} has returned. */
  @Override
  public void run() {
    if (state != State.NEW) {
      return;
    }
    if (lane.isClosed()) {
      fail(new HttpFault(HttpFault.Kind.CONNECT, "the client is closed"));
      return;
    }
    Connection idle = lane.take();
    if (idle == null) {
      dial();
    } else {
      lane.counters().reused.increment();
      carryOn(idle);
    }
  }

  private void dial() {
    state = State.CONNECTING;
    Dial next = new Dial(lane, this);
    dial = next;
    next.start();
  }

  /** From {@link Dial}. */
  void connected(Connection fresh) {
    dial = null;
    carryOn(fresh);
  }

  private void carryOn(Connection carrier) {
    state = State.WAITING;
    connection = carrier;
    use = new ConnectionUse(carrier.wasUsed(), use.attempts() + 1);
    sentTold = false;
    carrier.carry(this);
  }

  RequestBytes request() {
    return request;
  }

  boolean isPaused() {
    return paused;
  }

  void sent() {
    if (state != State.DONE && !sentTold) {
      sentTold = true;
      handler.onSent();
    }
  }

  void head(ResponseHead head) {
    sent(); // An answer may overtake the end of a long request.
    if (state == State.WAITING) {
      state = State.ANSWERED;
      handler.onHead(head);
    }
  }

  void body(ByteBuf bytes, byte[] scratch) {
    while (state == State.ANSWERED && bytes.isReadable()) {
      int length = Math.min(bytes.readableBytes(), scratch.length);
      bytes.readBytes(scratch, 0, length);
      handler.onBody(scratch, 0, length);
    }
  }

  void readEnd() {
    if (state == State.ANSWERED) {
      handler.onReadEnd();
    }
  }

  /** False when the handler, told of the end, wants the connection to serve nobody else. */
  boolean end() {
    if (state == State.ANSWERED) {
      state = State.ENDING;
      handler.onEnd();
      finish();
    }
    return !unwanted;
  }

  void fail(HttpFault fault) {
    if (state != State.DONE) {
      finish();
      handler.onFault(fault);
    }
  }

  private void finish() {
    state = State.DONE;
    dial = null;
    connection = null;
  }

  /**
   * The one replay: a backend closes a connection that it finds idle just when a request leaves,
   * and never reads it. A fresh connection that ends so has had its request, and so has one that
   * ends later: that request may be what ended the backend.
   */
  void connectionEnded(Connection ended, boolean answerBegun, String why) {
    if (state == State.DONE) {
      return;
    }
    if (answerBegun) {
      fail(new HttpFault(HttpFault.Kind.CUT, why));
    } else if (ended.wasStale() && use.attempts() == 1) {
      connection = null;
      lane.counters().staleReplays.increment();
      lane.dropIdleUpTo(ended);
      dial();
    } else {
      fail(new HttpFault(HttpFault.Kind.NO_RESPONSE, why));
    }
  }

  @Override
  public void abort() {
    if (!lane.loop().isCurrent()) {
      hop(this::abort);
      return;
    }
    if (state == State.ENDING) {
      unwanted = true;
    }
    if (state == State.ENDING || state == State.DONE) {
      return;
    }
    Dial dialling = dial;
    Connection carrier = connection;
    finish();
    lane.counters().aborted.increment();
    if (dialling != null) {
      dialling.cancel();
    }
    if (carrier != null) {
      left = carrier;
      carrier.abort();
    }
  }

  @Override
  public void whenClosed(Runnable then) {
    Connection closing = left;
    if (closing != null) {
      closing.whenClosed(then);
    }
  }

  @Override
  public void pause() {
    if (lane.loop().isCurrent()) {
      setReading(false);
    } else {
      hop(this::pause);
    }
  }

  @Override
  public void resume() {
    if (lane.loop().isCurrent()) {
      setReading(true);
    } else {
      hop(this::resume);
    }
  }

  private void setReading(boolean on) {
    paused = !on;
    if (connection != null) {
      connection.setReading(on);
    }
  }

  private void hop(Runnable task) {
    try {
      lane.loop().execute(task);
    } catch (RejectedExecutionException stopped) {
      paused = true; // The loop has stopped and has closed its connections: nothing is read.
    }
  }

  @Override
  public ConnectionUse connectionUse() {
    return use;
  }
}
