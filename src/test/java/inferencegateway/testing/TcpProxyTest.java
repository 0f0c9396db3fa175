package inferencegateway.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
  private static final Duration SOON = Duration.ofSeconds(5);
  private ServerSocket target;
  private TcpProxy proxy;
  private Socket client;
  private Socket server;

  @BeforeEach
  void connect() throws IOException {
    target = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    proxy = TcpProxy.before(target.getLocalPort());
    client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    server = target.accept();
    client.setSoTimeout(5_000);
    server.setSoTimeout(5_000);
    Eventually.within(SOON).assertThat(() -> proxy.openConnections() == 1);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
    proxy.close();
    target.close();
  }

  @Test
  void bytesAndEndPassBothWays() throws IOException {
    client.getOutputStream().write(new byte[] {1, 2, 3});
    client.shutdownOutput();
    assertEquals(3, server.getInputStream().readAllBytes().length);
    server.getOutputStream().write(new byte[] {4});
    server.close();
    assertEquals(1, client.getInputStream().readAllBytes().length);
    Eventually.within(SOON).assertThat(() -> proxy.openConnections() == 0);
    assertEquals(1, proxy.accepted());
  }

  @Test
  void pausedDirectionHoldsBytesAndEndUntilResumed() throws IOException {
    proxy.toServer().pause();
    client.getOutputStream().write(1);
    client.shutdownOutput();
    server.setSoTimeout(50);
    assertThrows(SocketTimeoutException.class, () -> server.getInputStream().read());
    server.setSoTimeout(5_000);
    proxy.toServer().resume();
    assertEquals(1, server.getInputStream().readAllBytes().length);
  }

  @Test
  void pausedDirectionBlocksTheSenderInTheEnd() throws IOException {
    proxy.freeze();
    client.setSendBufferSize(8_192);
    Thread sender = new Thread(this::sendUntilBroken);
    sender.start();
    Eventually.within(SOON).assertThat(() -> isBlockedIn(sender, "write"));
    assertEquals(0, proxy.toServer().forwarded());
    proxy.resetAll();
    proxy.thaw();
    Eventually.within(SOON).assertThat(() -> !sender.isAlive());
  }

  private void sendUntilBroken() {
    try {
      while (true) {
        client.getOutputStream().write(new byte[65_536]);
      }
    } catch (IOException broken) {
      // Expected: the connection is reset.
    }
  }

  private static boolean isBlockedIn(Thread thread, String method) {
    return java.util.Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().contains(method));
  }

  @Test
  void bytesCanBeCutIntoSegments() throws IOException {
    proxy.toServer().cut(1);
    byte[] sent = "one by one".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    client.getOutputStream().write(sent);
    InputStream in = server.getInputStream();
    assertEquals(sent.length, in.readNBytes(sent.length).length);
    assertEquals(sent.length, proxy.toServer().forwarded());
  }

  @Test
  void delayHoldsBytesBack() throws IOException {
    proxy.toClient().delay(Duration.ofMillis(60));
    long start = System.nanoTime();
    server.getOutputStream().write(1);
    assertEquals(1, client.getInputStream().read());
    assertTrue(System.nanoTime() - start >= 60_000_000);
  }

  @Test
  void throttleSlowsBytesDown() throws IOException {
    proxy.toClient().throttle(10_000);
    long start = System.nanoTime();
    server.getOutputStream().write(new byte[2_000]);
    assertEquals(2_000, client.getInputStream().readNBytes(2_000).length);
    long took = System.nanoTime() - start;
    assertTrue(took >= 130_000_000, "2,000 bytes took " + took + " ns");
  }

  @Test
  void resetReachesBothSides() {
    proxy.resetAll();
    assertThrows(SocketException.class, () -> client.getInputStream().read());
    assertThrows(SocketException.class, () -> server.getInputStream().read());
  }

  @Test
  void resetOfOneSideIsPassedOn() throws IOException {
    server.setSoLinger(true, 0);
    server.close();
    assertThrows(SocketException.class, () -> client.getInputStream().read());
  }

  @Test
  void closeReachesBothSides() throws IOException {
    proxy.closeAll();
    assertEquals(-1, client.getInputStream().read());
    assertEquals(-1, server.getInputStream().read());
  }

  @Test
  void refusesAndAcceptsAgainOnTheSamePort() {
    proxy.refuse();
    assertThrows(UncheckedIOException.class, () -> RawTcp.connect(proxy.port()).close());
    proxy.accept();
    RawTcp.connect(proxy.port()).close();
    Eventually.within(SOON).assertThat(() -> proxy.accepted() == 2);
  }
}
