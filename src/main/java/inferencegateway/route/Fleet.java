package inferencegateway.route;

import inferencegateway.config.BackendConfig;
import inferencegateway.config.Reloadable;
import inferencegateway.config.RoutingConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All backends: opens those that the configuration asks for, keeps those that stay as they are, and
 * takes down those that are gone once their last call is over.
 *
 * <p>Thread: any but an event loop; opening and closing may wait.
 */
public final class Fleet implements Reloadable, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);

  /** A call that has just chosen from an old table may not have said so yet. */
  private static final long GRACE = Duration.ofSeconds(2).toNanos();

  /** Makes one backend and what belongs to it. */
  public interface Opening {

    /**
     * @param name of this one; the configured name, with the address where that tells several apart
     * @param only the one address to use; null: any that the name has
     * @throws IOException says in one line which of its files is wrong
     */
    Opened open(String name, BackendConfig config, @Nullable InetAddress only) throws IOException;
  }

  /** A backend with its connections and its probes. */
  public interface Opened {
    Backend backend();

    /** Begins to look how it is. */
    void start();

    /** Reads its files again, where they have changed. */
    void reload() throws IOException;

    /** No new calls: nobody needs to know any more how it is. */
    void retire();

    /** Its last call is over. */
    void close();
  }

  /** Looks a name up; blocks. */
  @FunctionalInterface
  public interface Names {
    InetAddress[] lookup(String host) throws UnknownHostException;
  }

  /** What makes two backends the same. Its files are followed by the one that there is. */
  private record Member(BackendConfig config, @Nullable InetAddress address) {
    String name() {
      return address == null ? config.name() : config.name() + "@" + address.getHostAddress();
    }
  }

  private record Old(Table table, long since) {}

  private final Opening opening;
  private final Names names;
  private final Routes routes;

  // All guarded by this.
  private final Map<Member, Opened> open = new LinkedHashMap<>();
  private final List<Opened> retired = new ArrayList<>();
  private final List<Old> old = new ArrayList<>();
  private final Map<String, List<InetAddress>> addresses = new HashMap<>();
  private RoutingConfig config;
  private Table table;
  private boolean started;

  /** Opens the backends of the first configuration; looks no names up yet. */
  public Fleet(RoutingConfig config, Opening opening, Names names) throws IOException {
    this.config = config;
    this.opening = opening;
    this.names = names;
    this.table = build();
    this.routes = new Routes(table);
  }

  /** Begins to look how the backends are. */
  public synchronized void start() {
    started = true;
    open.values().forEach(Opened::start);
  }

  public Routes routes() {
    return routes;
  }

  public synchronized RoutingConfig config() {
    return config;
  }

  /** Whether there are names to look up from time to time. */
  public synchronized boolean hasNames() {
    return config.backends().stream().anyMatch(BackendConfig::eachAddress);
  }

  /** The routing file and what the backends name. */
  @Override
  public synchronized List<Path> files() {
    List<Path> all = new ArrayList<>();
    if (config.file() != null) {
      all.add(config.file());
    }
    config.backends().forEach(backend -> all.addAll(backend.files()));
    return all;
  }

  @Override
  public void reload() throws IOException {
    apply(config().reread());
    reloadBackends();
  }

  /** One whose files are wrong does not keep the others from theirs. */
  private synchronized void reloadBackends() throws IOException {
    IOException wrong = null;
    for (Opened each : open.values()) {
      try {
        each.reload();
      } catch (IOException e) {
        wrong = wrong == null ? e : wrong;
      }
    }
    if (wrong != null) {
      throw wrong;
    }
  }

  /**
   * New routes for new calls. Calls that run keep what they began with.
   *
   * @throws IOException says which file of a new backend is wrong; then nothing has changed
   */
  synchronized void apply(RoutingConfig next) throws IOException {
    RoutingConfig before = config;
    if (next.equals(before)) {
      return;
    }
    config = next;
    try {
      rebuild();
    } catch (IOException | RuntimeException e) {
      config = before;
      throw e;
    }
  }

  private void rebuild() throws IOException {
    Table before = table;
    try {
      table = build();
      routes.replace(table);
      old.add(new Old(before, System.nanoTime()));
    } finally {
      dropUnwanted();
    }
  }

  /** Those that the present table does not know: left behind, or opened in vain. */
  private void dropUnwanted() {
    Set<Backend> wanted = new HashSet<>(table.backends());
    for (Iterator<Map.Entry<Member, Opened>> all = open.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Member, Opened> next = all.next();
      if (!wanted.contains(next.getValue().backend())) {
        all.remove();
        LOG.info("Backend {} is taken out of the routes", next.getKey().name());
        next.getValue().backend().retire();
        next.getValue().retire();
        retired.add(next.getValue());
      }
    }
  }

  private Table build() throws IOException {
    Map<String, List<Backend>> byName = new LinkedHashMap<>();
    for (Member member : members(config).toList()) {
      byName
          .computeIfAbsent(member.config().name(), name -> new ArrayList<>())
          .add(opened(member).backend());
    }
    return Table.of(config, byName);
  }

  private Opened opened(Member member) throws IOException {
    Opened there = open.get(member);
    if (there == null) {
      there = opening.open(member.name(), member.config(), member.address());
      open.put(member, there);
      if (started) {
        there.start();
      }
    }
    return there;
  }

  private Stream<Member> members(RoutingConfig wanted) {
    return wanted.backends().stream().flatMap(this::members);
  }

  /** One for each address; as long as none is known, one that looks its name up itself. */
  private Stream<Member> members(BackendConfig backend) {
    List<InetAddress> known =
        backend.eachAddress() ? addresses.getOrDefault(backend.url().host(), List.of()) : List.of();
    return known.isEmpty()
        ? Stream.of(new Member(backend, null))
        : known.stream().map(address -> new Member(backend, address));
  }

  /** Looks all names up again; a failed look-up keeps what was known. Blocks. */
  public void lookUp() {
    for (String host : hosts()) {
      try {
        List<InetAddress> found =
            Stream.of(names.lookup(host))
                .distinct()
                .sorted(Comparator.comparing(InetAddress::getHostAddress))
                .toList();
        found(host, found);
      } catch (UnknownHostException e) {
        LOG.debug("The name {} is not known now", host);
      } catch (IOException e) {
        LOG.warn("The addresses of {} are not taken over: {}", host, e.getMessage());
      }
    }
  }

  private synchronized List<String> hosts() {
    return config.backends().stream()
        .filter(BackendConfig::eachAddress)
        .map(backend -> backend.url().host())
        .distinct()
        .toList();
  }

  private synchronized void found(String host, List<InetAddress> found) throws IOException {
    if (!found.isEmpty() && !found.equals(addresses.put(host, found))) {
      LOG.info("The name {} has the addresses {}", host, found);
      rebuild();
    }
  }

  /** Takes down what no call uses any more. To be called from time to time. */
  public synchronized void tidy() {
    long now = System.nanoTime();
    old.removeIf(each -> each.table().isUnused() && now - each.since() > GRACE);
    retired.removeIf(
        each -> {
          boolean used =
              old.stream().anyMatch(still -> still.table().backends().contains(each.backend()));
          if (!used) {
            each.close();
          }
          return !used;
        });
  }

  /** Takes everything down; calls that still run lose nothing but further connections. */
  @Override
  public synchronized void close() {
    open.values().forEach(Opened::retire);
    open.values().forEach(Opened::close);
    retired.forEach(Opened::close);
    open.clear();
    retired.clear();
  }
}
