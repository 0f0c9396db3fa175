package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

final class AddressesTest {

  @Test
  void listenAddressesAreRead() {
    assertEquals(new HostPort("::", 50051), HostPort.parse("[::]:50051"));
    assertEquals(new HostPort("::", 50051), HostPort.parse(":50051"));
    assertEquals(new HostPort("::", 50051), HostPort.parse("50051"));
    assertEquals(new HostPort("0.0.0.0", 0), HostPort.parse("0.0.0.0:0"));
    assertEquals(new HostPort("gateway_1.local", 1), HostPort.parse("gateway_1.local:1"));
    assertEquals("[::1]:5", HostPort.parse("[::1]:5").toString());
  }

  @Test
  void otherListenAddressesAreRefused() {
    for (String text :
        List.of(
            "",
            ":",
            "host",
            "host:",
            "host:65536",
            "host:-1",
            "::1:50051",
            "[::1:50051",
            "[zz]:1",
            "[1]:1",
            "1.2.3:1",
            "1.2.3.256:1",
            "1.2.3.4.:1",
            "*:1",
            "a b:1",
            "http://host:1",
            "host:1/x",
            "-x:1")) {
      assertThrows(IllegalArgumentException.class, () -> HostPort.parse(text), text);
    }
  }

  @Test
  void backendsAreTakenApart() {
    backend("http://localhost:8000/v1", false, "localhost", 8000, "/v1");
    backend("http://localhost:8000/v1/", false, "localhost", 8000, "/v1");
    backend("HTTP://vllm_0", false, "vllm_0", 80, "");
    backend("https://host/a/b", true, "host", 443, "/a/b");
    backend("http://[::1]:8000/v1", false, "::1", 8000, "/v1");
    backend("http://[::1]/v1", false, "::1", 80, "/v1");
    backend("http://10.0.0.1:1/v1", false, "10.0.0.1", 1, "/v1");
  }

  @Test
  void unixSocketsAreTakenApart() {
    unix("unix:/run/vllm.sock", "/run/vllm.sock", "/v1");
    unix("unix:///run/vllm.sock", "/run/vllm.sock", "/v1");
    unix("unix:/run/vllm.sock:/openai/v1/", "/run/vllm.sock", "/openai/v1");
    unix("unix:/run/vllm.sock:/", "/run/vllm.sock", "");
  }

  @Test
  void otherBackendsAreRefusedAndTheFaultSaysWhatIsRight() {
    refused("localhost:8000", "such as http://localhost:8000/v1");
    refused("host/v1", "such as http://host/v1");
    refused("ftp://host", "must be an address such as");
    refused("http://", "must be an address such as");
    refused("http:///v1", "must be an address such as");
    refused("http://host:0/v1", "from 1 to 65535");
    refused("http://host:99999/v1", "from 0 to 65535");
    refused("http://host:x/v1", "from 1 to 65535");
    refused("http://user@host/v1", "api-key-file");
    refused("http://user:pass@host/v1", "api-key-file");
    refused("http://host/v1?x=1", "must have no ?");
    refused("http://host/v1#x", "must have no ?");
    refused("http://host/v1/chat/completions", "must end before");
    refused("http://::1:8000/v1", "in brackets");
    refused("http://host/v1\r\nX: y", "must be an address such as");
    refused("http://hôst/v1", "must be an address such as");
    refused("unix:run/vllm.sock", "by a whole path");
    refused("unix:", "by a whole path");
    refused("unix:/" + "x".repeat(107), "at most 107 bytes");
  }

  @Property(tries = 300)
  void anyTextIsEitherReadOrRefused(@ForAll String text) {
    for (String address : List.of(text, "http://" + text, "unix:" + text)) {
      try {
        assertFalse(BackendUrl.parse(address).basePath().endsWith("/"));
      } catch (IllegalArgumentException e) {
        assertTrue(String.valueOf(e.getMessage()).startsWith("must "), e.getMessage());
      }
    }
  }

  @Property(tries = 300)
  void durationsSurviveBeingWritten(@ForAll @LongRange(min = 0, max = 999_999_999) long millis) {
    java.time.Duration duration = java.time.Duration.ofMillis(millis);
    assertEquals(duration, Durations.parse(Durations.text(duration)));
  }

  @Property(tries = 100)
  void listenAddressesSurviveBeingWritten(@ForAll @IntRange(min = 0, max = 65535) int port) {
    HostPort address = new HostPort("::", port);
    assertEquals(address, HostPort.parse(address.toString()));
  }

  private static void backend(String text, boolean secure, String host, int port, String basePath) {
    assertEquals(new BackendUrl(text, secure, host, port, null, basePath), BackendUrl.parse(text));
  }

  private static void unix(String text, String socket, String basePath) {
    assertEquals(new BackendUrl(text, false, "", 0, socket, basePath), BackendUrl.parse(text));
  }

  private static void refused(String text, String fault) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> BackendUrl.parse(text), text);
    assertTrue(String.valueOf(e.getMessage()).contains(fault), e.getMessage());
  }
}
