package inferencegateway.route;

import inferencegateway.admission.Candidates;
import inferencegateway.admission.Capacity;
import inferencegateway.chat.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where one call may go: the backends that serve its model, less those that it has tried.
 *
 * <p>Thread: the call's loop; {@link #choose} from any, under the gate's lock, while the call
 * waits.
 */
public final class Trip implements Candidates {

  /** Where the call goes: a backend, and what it calls the model there. */
  public record Stop(Backend backend, String model) {}

  private final Table table;
  private final Model model;
  private final CallKey key;
  private final List<Pool> pools;

  /** What may answer when this cannot; shared along the chain, so that nothing is tried twice. */
  private final Deque<Model> fallback;

  private final boolean isFallback;

  /** Only to backends that are up: a rescue is no time for doubt. */
  private final boolean isRescue;

  private final List<Backend> tried = new ArrayList<>(2);

  private Trip(
      Table table,
      Model model,
      CallKey key,
      Deque<Model> fallback,
      boolean isFallback,
      boolean isRescue) {
    this.table = table;
    this.model = model;
    this.key = key;
    this.pools = model.inOrderFor(key.sticky());
    this.fallback = fallback;
    this.isFallback = isFallback;
    this.isRescue = isRescue;
  }

  static Trip to(Table table, Model model, CallKey key) {
    return new Trip(table, model, key, new ArrayDeque<>(model.fallback()), false, false);
  }

  /** The model's name as callers know it; empty when the backend is to choose. */
  public String name() {
    return model.name();
  }

  /** Whether an answer that breaks off may be continued on another backend. */
  public boolean mayRescue() {
    return model.rescue() && pools.stream().anyMatch(pool -> pool.backends().size() > 1);
  }

  /** Whether another model answers than the one asked for. */
  public boolean isFallback() {
    return isFallback;
  }

  public boolean hasFallback() {
    return !fallback.isEmpty();
  }

  /** The call sets out: until {@link #ended} no backend of these routes is taken down. */
  public void begun() {
    table.callBegan();
  }

  /** Once, by this trip or by one that it led to. */
  public void ended() {
    table.callEnded();
  }

  @Override
  public synchronized @Nullable Capacity choose(Predicate<Capacity> hasRoom) {
    boolean anyUp = hasUntried(Backend::isUp);
    // Probes may be wrong, and a call that is refused has no chance at all.
    Predicate<Backend> fits = anyUp ? this::isUpAndUntried : this::isUntried;
    for (Pool pool : pools) {
      Backend found = key.chooseIn(pool, fits, hasRoom);
      if (found != null) {
        return found.capacity();
      }
    }
    return null;
  }

  private boolean isUntried(Backend backend) {
    return !tried.contains(backend);
  }

  /** Those that could serve it wait together, whatever the model is called. */
  @Override
  public Object pool() {
    Pool first = pools.get(0);
    if (pools.size() == 1 && first.backends().size() == 1) {
      return first.backends().get(0);
    }
    Set<Backend> all = new HashSet<>();
    pools.forEach(each -> all.addAll(each.backends()));
    return all;
  }

  private boolean isUpAndUntried(Backend backend) {
    return backend.isUp() && !tried.contains(backend);
  }

  private boolean hasUntried(Predicate<Backend> such) {
    for (Pool pool : pools) {
      for (Backend each : pool.backends()) {
        if (such.test(each) && !tried.contains(each)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether nobody who serves this model is up. */
  public synchronized boolean isDown() {
    return !hasUntried(Backend::isUp);
  }

  /** Whose place that is, and the model's name there. */
  public synchronized Stop at(Capacity place) {
    for (Pool pool : pools) {
      for (Backend each : pool.backends()) {
        if (each.capacity() == place && !tried.contains(each)) {
          return new Stop(each, pool.model());
        }
      }
    }
    throw new IllegalArgumentException("not a place of this trip");
  }

  /**
   * Goes on to another backend for the same model, where that can help.
   *
   * @return false when the failure is none that another backend would not have, or none is left
   */
  public synchronized boolean leave(Backend failed, Reason why) {
    if (!isWorthAnother(why)) {
      return false;
    }
    tried.add(failed);
    return hasUntried(isRescue ? Backend::isUp : each -> true);
  }

  /** The first did no work, or refused because it is busy. */
  private boolean isWorthAnother(Reason why) {
    return switch (why) {
      case UPSTREAM_CONNECT, UPSTREAM_STARTING, UPSTREAM_QUEUE_FULL, UPSTREAM_RATE_LIMIT -> true;
      case MODEL_NOT_FOUND -> model.guessed();
      default -> false;
    };
  }

  /** Whether such a failure may be answered by another model; never a fault of the caller's. */
  public static boolean mayFallBack(Reason why) {
    return switch (why) {
      case UPSTREAM_CONNECT,
          UPSTREAM_STARTING,
          UPSTREAM_QUEUE_FULL,
          UPSTREAM_RATE_LIMIT,
          CONCURRENCY_LIMIT,
          DEADLINE_UNREACHABLE,
          NOT_READY,
          FIRST_TOKEN_TIMEOUT ->
          true;
      default -> false;
    };
  }

  /**
   * The way on when a backend died in the middle of an answer: to the others of its own pool, which
   * alone serve the very same model, that are up and were not tried.
   *
   * @return null when there is none
   */
  public synchronized @Nullable Trip toRescueFrom(Backend died) {
    for (Pool pool : pools) {
      if (pool.backends().contains(died)) {
        Model same = new Model(model.name(), List.of(pool), List.of(), false, false);
        Trip rescue = new Trip(table, same, key, new ArrayDeque<>(), isFallback, true);
        rescue.tried.addAll(tried);
        rescue.tried.add(died);
        return rescue.isDown() ? null : rescue;
      }
    }
    return null;
  }

  /**
   * The way to the next model that may answer in this one's place: the first that has a backend
   * that is up, else simply the first.
   *
   * @param mayUse whether this caller may use a model
   * @param onlyUp whether one of those that are down would be no gain
   * @return null when there is none
   */
  public @Nullable Trip toFallback(Predicate<String> mayUse, boolean onlyUp) {
    fallback.removeIf(next -> !mayUse.test(next.name()));
    Model next = fallback.stream().filter(Model::isUp).findFirst().orElse(null);
    if (next == null && !onlyUp) {
      next = fallback.peek();
    }
    if (next == null) {
      return null;
    }
    fallback.remove(next);
    return new Trip(table, next, key, fallback, true, false);
  }
}
