package inferencegateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import inferencegateway.chat.Tracking;
import io.grpc.Metadata;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** W3C Trace Context, to the letter. */
class TraceHeadersTest {

  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private static Tracking of(String parent, String... states) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), parent);
    for (String state : states) {
      headers.put(Metadata.Key.of("tracestate", Metadata.ASCII_STRING_MARSHALLER), state);
    }
    return TraceHeaders.of(headers);
  }

  @Test
  void goodOnesGoOn() {
    assertEquals(PARENT, of(PARENT).traceParent());
    assertEquals("", of(PARENT).traceState());
    assertEquals("a=1,b@v=2", of(PARENT, "a=1 , b@v=2", "").traceState());
    assertEquals("a=1,b=x y,0/c*d_e-f=!~", of(PARENT, "a=1,,\tb=x y", "0/c*d_e-f=!~").traceState());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y"
      })
  void badParentsDoNotAndTakeTheirStateAlong(String parent) {
    assertEquals("", of(parent, "a=1").traceParent());
    assertEquals("", of(parent, "a=1").traceState());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "=1",
        "a=",
        "A=1",
        "a=1,a=2",
        "a=b=c",
        "a=1\r\nx: y",
        "a=1;b=2,c",
        "a@B=1",
        "a@=1",
        "@v=1",
        "a=1\u0000",
        "a b=1"
      })
  void badStatesAreLeftOutWhole(String state) {
    assertEquals("", of(PARENT, "ok=1", state).traceState());
    assertEquals(PARENT, of(PARENT, state).traceParent());
  }

  @Test
  void tooManyOrTooLongStatesAreLeftOut() {
    String members =
        IntStream.range(0, 33).mapToObj(i -> "k" + i + "=v").collect(Collectors.joining(","));
    assertEquals("", of(PARENT, members).traceState());
    assertEquals(
        members.substring(0, members.lastIndexOf(',')),
        of(PARENT, members.substring(0, members.lastIndexOf(','))).traceState());
    assertEquals("", of(PARENT, "a=" + "x".repeat(511)).traceState());
    assertEquals(
        "",
        of(PARENT, "a=" + "x".repeat(250), "b=" + "x".repeat(256) + ",c=" + "x".repeat(20))
            .traceState());
  }

  @Test
  void twoParentsAreNone() {
    Metadata headers = new Metadata();
    Metadata.Key<String> key = Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
    headers.put(key, PARENT);
    headers.put(key, PARENT);
    assertEquals("", TraceHeaders.of(headers).traceParent());
  }
}
