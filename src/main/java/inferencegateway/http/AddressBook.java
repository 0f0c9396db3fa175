package inferencegateway.http;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The backend's addresses. Names are looked up on a thread of their own, and again in the
 * background once the last answer is older than the time to live; a failed look-up keeps the last
 * good answer. May be used from anywhere.
 */
final class AddressBook implements AutoCloseable {
  static final Duration TTL = Duration.ofSeconds(5);

  /** Null where the addresses never change. */
  private final @Nullable Callable<List<SocketAddress>> resolver;

  private final @Nullable ExecutorService thread;
  private final long ttlNanos;

  /** The last good answer; null before the first. Written under the lock, read without it. */
  private volatile @Nullable List<SocketAddress> known;

  private volatile long knownSince;

  /** Tried first: where the last connection came about. Any thread; a hint only. */
  private volatile @Nullable SocketAddress lastGood;

  /** The look-up under way; guarded by this. */
  private @Nullable CompletableFuture<List<SocketAddress>> pending;

  private AddressBook(
      @Nullable List<SocketAddress> fixed,
      @Nullable Callable<List<SocketAddress>> resolver,
      Duration ttl) {
    this.ttlNanos = ttl.toNanos();
    this.known = fixed;
    this.resolver = resolver;
    this.thread = resolver == null ? null : Executors.newSingleThreadExecutor(AddressBook::daemon);
  }

  static AddressBook fixed(List<SocketAddress> addresses) {
    return new AddressBook(List.copyOf(addresses), null, TTL);
  }

  /**
   * @param resolver may block; throws when the name is unknown
   */
  static AddressBook resolving(Callable<List<SocketAddress>> resolver, Duration ttl) {
    return new AddressBook(null, resolver, ttl);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "backend-names");
    thread.setDaemon(true);
    return thread;
  }

  /** Done at once where anything is known; fails when nothing ever was. */
  CompletableFuture<List<SocketAddress>> lookup() {
    List<SocketAddress> now = known;
    if (now == null) {
      return refresh();
    }
    refreshIfOld();
    return CompletableFuture.completedFuture(bestFirst(now));
  }

  /** Whether a connection to this address is still one to the backend. */
  boolean contains(SocketAddress address) {
    List<SocketAddress> now = known;
    refreshIfOld();
    return now != null && now.contains(address);
  }

  void worked(SocketAddress address) {
    if (!address.equals(lastGood)) {
      lastGood = address;
    }
  }

  private void refreshIfOld() {
    if (resolver != null && System.nanoTime() - knownSince > ttlNanos) {
      begin();
    }
  }

  private List<SocketAddress> bestFirst(List<SocketAddress> addresses) {
    SocketAddress best = lastGood;
    if (addresses.size() < 2 || best == null || !addresses.contains(best)) {
      return addresses;
    }
    List<SocketAddress> ordered = new ArrayList<>(addresses);
    ordered.remove(best);
    ordered.add(0, best);
    return ordered;
  }

  private synchronized CompletableFuture<List<SocketAddress>> refresh() {
    begin();
    CompletableFuture<List<SocketAddress>> answer = pending;
    return answer == null
        ? CompletableFuture.failedFuture(new IllegalStateException("no resolver, or closed"))
        : answer;
  }

  private synchronized void begin() {
    if (pending != null || thread == null || resolver == null) {
      return;
    }
    CompletableFuture<List<SocketAddress>> answer = new CompletableFuture<>();
    pending = answer;
    try {
      thread.execute(() -> resolve(resolver, answer));
    } catch (RejectedExecutionException closed) {
      settle();
    }
  }

  private void resolve(
      Callable<List<SocketAddress>> resolver, CompletableFuture<List<SocketAddress>> answer) {
    try {
      List<SocketAddress> found = List.copyOf(resolver.call());
      if (found.isEmpty()) {
        throw new IllegalStateException("no address");
      }
      known = found;
      settle();
      answer.complete(found);
    } catch (Exception | LinkageError e) {
      settle();
      answer.completeExceptionally(e);
    }
  }

  /** A failed refresh too counts as a try: the next one waits for the time to live again. */
  private synchronized void settle() {
    knownSince = System.nanoTime();
    pending = null;
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }
}
