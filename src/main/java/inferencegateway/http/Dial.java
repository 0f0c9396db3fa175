package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Comes by one connection: resolves, then tries every address, each a little after the one before
 * or at once when that one failed (RFC 8305), all within one connect timeout. The first to be ready
 * is taken. Everything runs on the lane's loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners return the future they were added to.
final class Dial {
  private static final Duration STAGGER = Duration.ofMillis(250);

  private final Lane lane;
  private final ClientExchange exchange;
  private final List<Connection> open = new ArrayList<>();
  private List<SocketAddress> addresses = List.of();
  private int next;
  private boolean over;
  private CallLoop.@Nullable Timer deadline;
  private CallLoop.@Nullable Timer stagger;
  private @Nullable HttpFault worst;

  Dial(Lane lane, ClientExchange exchange) {
    this.lane = lane;
    this.exchange = exchange;
  }

  void start() {
    deadline = lane.loop().schedule(lane.connectTimeout(), this::timedOut);
    CompletableFuture<List<SocketAddress>> lookup = lane.addresses().lookup();
    if (lookup.isDone()) {
      resolved(lookup);
    } else {
      lookup.whenComplete((found, failure) -> hop(() -> resolved(lookup)));
    }
  }

  private void hop(Runnable task) {
    try {
      lane.loop().execute(task);
    } catch (RejectedExecutionException stopped) {
      over = true; // The loop is gone, and the exchange with it.
    }
  }

  private void resolved(CompletableFuture<List<SocketAddress>> lookup) {
    if (over) {
      return;
    }
    if (lookup.isCompletedExceptionally()) {
      fail(new HttpFault(HttpFault.Kind.CONNECT, "the name " + lane.target() + " is not known"));
      return;
    }
    addresses = lookup.join();
    tryNext();
  }

  private void tryNext() {
    cancel(stagger);
    SocketAddress address = addresses.get(next++);
    if (next < addresses.size()) {
      stagger = lane.loop().schedule(stagger(), this::tryNextIfWaiting);
    }
    Connection attempt;
    try {
      attempt = lane.newConnection(address);
    } catch (RuntimeException refused) {
      // Netty's ChannelException: the system gave no socket.
      failed(address, refused);
      return;
    }
    open.add(attempt);
    attempt.connect().addListener(outcome -> settled(attempt, outcome));
  }

  private Duration stagger() {
    Duration share = lane.connectTimeout().dividedBy(addresses.size());
    return share.compareTo(STAGGER) < 0 ? share : STAGGER;
  }

  private void tryNextIfWaiting() {
    if (!over && next < addresses.size()) {
      tryNext();
    }
  }

  private void settled(Connection attempt, Future<?> outcome) {
    open.remove(attempt);
    if (over) {
      attempt.close();
    } else if (outcome.isSuccess()) {
      end();
      lane.addresses().worked(attempt.address());
      exchange.connected(attempt);
    } else {
      attempt.close();
      failed(attempt.address(), outcome.cause());
    }
  }

  private void failed(SocketAddress address, Throwable cause) {
    worst = worse(worst, describe(address, cause));
    if (next < addresses.size()) {
      tryNext();
    } else if (open.isEmpty()) {
      fail(worst);
    }
  }

  /** An exhausted host says more than a refused connection. */
  private static HttpFault worse(@Nullable HttpFault one, HttpFault other) {
    return one != null && one.kind() == HttpFault.Kind.EXHAUSTED ? one : other;
  }

  private static HttpFault describe(SocketAddress address, Throwable cause) {
    // On IPv6 the same error also means that the host has no such family.
    boolean exhausted =
        FaultWords.saysNoMoreFiles(cause) || (isInet4(address) && FaultWords.saysNoAddress(cause));
    return new HttpFault(
        exhausted ? HttpFault.Kind.EXHAUSTED : HttpFault.Kind.CONNECT, FaultWords.of(cause));
  }

  private static boolean isInet4(SocketAddress address) {
    return address instanceof InetSocketAddress inet && inet.getAddress() instanceof Inet4Address;
  }

  private void timedOut() {
    if (!over) {
      String what = addresses.isEmpty() ? "resolving " : "connecting to ";
      fail(new HttpFault(HttpFault.Kind.CONNECT_TIMEOUT, what + lane.target() + " took too long"));
    }
  }

  private void fail(HttpFault fault) {
    end();
    exchange.fail(fault);
  }

  /** Nobody waits any more. */
  void cancel() {
    end();
  }

  private void end() {
    over = true;
    cancel(deadline);
    cancel(stagger);
    // A copy: closing settles an attempt at once, which takes it off the list.
    List.copyOf(open).forEach(Connection::close);
  }

  private static void cancel(CallLoop.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }
}
