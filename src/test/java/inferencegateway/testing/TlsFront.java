package inferencegateway.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Takes TLS off, with Java's own TLS, in front of a plaintext server on loopback; lets in only
 * clients with a certificate of one authority. Two threads per connection.
 */
public final class TlsFront implements AutoCloseable {
  private static final char[] NO_PASSWORD = new char[0];

  private final SSLServerSocket listener;
  private final int target;
  private final List<X509Certificate> shown = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  private TlsFront(SSLServerSocket listener, int target) {
    this.listener = listener;
    this.target = target;
  }

  public static TlsFront before(int target, Issued own, Issued clientAuthority) {
    try {
      SSLServerSocket listener =
          (SSLServerSocket)
              context(own, clientAuthority)
                  .getServerSocketFactory()
                  .createServerSocket(0, 100, InetAddress.getLoopbackAddress());
      listener.setNeedClientAuth(true);
      TlsFront front = new TlsFront(listener, target);
      daemon(front::accept);
      return front;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static SSLContext context(Issued own, Issued authority)
      throws GeneralSecurityException, IOException {
    KeyStore identity = KeyStore.getInstance("PKCS12");
    identity.load(null, null);
    identity.setKeyEntry("own", own.key(), NO_PASSWORD, new Certificate[] {own.certificate()});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(identity, NO_PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", authority.certificate());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** The certificate of each client that was let in. */
  public List<X509Certificate> shown() {
    return List.copyOf(shown);
  }

  private void accept() {
    try {
      while (true) {
        SSLSocket client = (SSLSocket) listener.accept();
        open.add(client);
        daemon(() -> serve(client));
      }
    } catch (IOException closed) {
      // On purpose.
    }
  }

  private void serve(SSLSocket client) {
    try (client;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      open.add(server);
      client.startHandshake();
      shown.add((X509Certificate) client.getSession().getPeerCertificates()[0]);
      daemon(() -> copy(client, server));
      copy(server, client);
    } catch (IOException refused) {
      // The client sees it too.
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } catch (IOException over) {
      // Either side has gone, and takes the other along.
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "tls-front");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
