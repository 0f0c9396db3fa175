package inferencegateway.http;

import inferencegateway.config.BackendUrl;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** How the backend is reached: which kind of socket, at which addresses, with TLS or without. */
final class BackendLink implements AutoCloseable {
  /** Looks a name up; blocks. */
  @FunctionalInterface
  interface Names {
    InetAddress[] lookup(String host) throws UnknownHostException;
  }

  /** Needs no look-up: the name has been looked up before. */
  record OneAddress(InetAddress address) implements Names {
    @Override
    public InetAddress[] lookup(String host) {
      return new InetAddress[] {address};
    }
  }

  private final Loops loops;
  private final BackendUrl backend;
  private final AddressBook addresses;
  private final UpstreamTls tls;

  BackendLink(Loops loops, BackendUrl backend, Names names, UpstreamTls tls) {
    this.loops = loops;
    this.backend = backend;
    this.tls = tls;
    this.addresses = addresses(loops, backend, names);
  }

  private static AddressBook addresses(Loops loops, BackendUrl backend, Names names) {
    String path = backend.socketPath();
    if (path != null) {
      return AddressBook.fixed(List.of(loops.domainAddress(path)));
    }
    if (names instanceof OneAddress one) {
      return AddressBook.fixed(at(backend.port(), one.address()));
    }
    String host = backend.host();
    if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
      return AddressBook.fixed(at(backend.port(), literal(host)));
    }
    if (host.equalsIgnoreCase("localhost")) {
      // Both families, whatever the hosts file says (RFC 6761): the backend may listen on either.
      return AddressBook.fixed(at(backend.port(), literal("127.0.0.1"), literal("::1")));
    }
    return AddressBook.resolving(() -> at(backend.port(), names.lookup(host)), AddressBook.TTL);
  }

  /** Asks nobody: a literal needs no look-up. */
  private static InetAddress literal(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException noSuchInterface) {
      throw new IllegalArgumentException("not an address here: " + text, noSuchInterface);
    }
  }

  private static List<SocketAddress> at(int port, InetAddress... hosts) {
    List<SocketAddress> all = new ArrayList<>();
    for (InetAddress host : hosts) {
      all.add(new InetSocketAddress(host, port));
    }
    return all;
  }

  AddressBook addresses() {
    return addresses;
  }

  String target() {
    return backend.socketPath() != null ? backend.socketPath() : backend.host();
  }

  Channel newChannel() {
    return backend.socketPath() == null ? loops.newSocket() : loops.newDomainSocket();
  }

  UpstreamTls tls() {
    return tls;
  }

  @Override
  public void close() {
    addresses.close();
  }
}
