package inferencegateway.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes down what a handler is told, and lets a test wait for it. */
class Recorder implements ResponseHandler {
  /** Names of the calls, runs of body and readEnd taken together. */
  final List<String> calls = new CopyOnWriteArrayList<>();

  final CountDownLatch sent = new CountDownLatch(1);
  final CountDownLatch headSeen = new CountDownLatch(1);
  final CountDownLatch bodySeen = new CountDownLatch(1);
  final CountDownLatch ended = new CountDownLatch(1);
  final AtomicInteger endings = new AtomicInteger();
  volatile ResponseHead head;
  volatile HttpFault fault;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();

  private void note(String call) {
    if (calls.isEmpty() || !calls.get(calls.size() - 1).equals(call)) {
      calls.add(call);
    }
  }

  @Override
  public void onSent() {
    note("sent");
    sent.countDown();
  }

  @Override
  public void onHead(ResponseHead head) {
    note("head");
    this.head = head;
    headSeen.countDown();
  }

  @Override
  public void onBody(byte[] bytes, int offset, int length) {
    note("body");
    synchronized (body) {
      body.write(bytes, offset, length);
    }
    bodySeen.countDown();
  }

  @Override
  public void onReadEnd() {}

  @Override
  public void onEnd() {
    note("end");
    endings.incrementAndGet();
    ended.countDown();
  }

  @Override
  public void onFault(HttpFault fault) {
    note("fault");
    this.fault = fault;
    endings.incrementAndGet();
    ended.countDown();
  }

  int bodyLength() {
    synchronized (body) {
      return body.size();
    }
  }

  String body() {
    synchronized (body) {
      return body.toString(StandardCharsets.UTF_8);
    }
  }

  Recorder await() throws InterruptedException {
    if (!ended.await(20, TimeUnit.SECONDS)) {
      throw new AssertionError("no ending; told so far: " + calls);
    }
    return this;
  }

  /** The body of an answer that came whole. */
  String text() throws InterruptedException {
    await();
    if (fault != null) {
      throw new AssertionError("fault: " + fault);
    }
    return body();
  }

  HttpFault fault() throws InterruptedException {
    await();
    if (fault == null) {
      throw new AssertionError("no fault; told: " + calls);
    }
    return fault;
  }
}
