package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Status;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class LibraryWordsTest {

  @Test
  void deadlineSaysWhetherThereWasAConnection() {
    assertEquals(
        "the time was over before the answer was whole",
        words(
            Status.DEADLINE_EXCEEDED,
            "CallOptions deadline exceeded after 0.399s. Name resolution delay 0.003 seconds."
                + " [closed=[], open=[[connecting_and_lb_delay=2ns, remote_addr=localhost/127.0.0.1:1]]]"));
    assertEquals(
        "the time was over before there was a connection",
        words(
            Status.DEADLINE_EXCEEDED,
            "CallOptions deadline exceeded after 0.399s. Name resolution delay 0.003 seconds."
                + " [closed=[], open=[[buffered_nanos=1000, waiting_for_connection]]]"));
  }

  @Test
  void innermostCauseStandsForAnEmptyText() {
    assertEquals(
        "unable to find valid certification path",
        LibraryWords.of(
            Status.UNAVAILABLE
                .withDescription("io exception\nChannel Pipeline: [SslHandler#0, Other$Handler#0]")
                .withCause(
                    new IOException(
                        "General OpenSslEngine problem",
                        new IOException("unable to find valid certification path")))));
    assertEquals(
        "Connection refused: localhost/127.0.0.1:1",
        LibraryWords.of(
            Status.UNAVAILABLE
                .withDescription("io exception")
                .withCause(
                    new IOException(
                        "finishConnect(..) failed with error(-111): Connection refused:"
                            + " localhost/127.0.0.1:1"))));
  }

  @Test
  void dumpsAndPipelinesAreCutOff() {
    assertEquals(
        "First received frame was not SETTINGS",
        words(
            Status.UNAVAILABLE,
            "First received frame was not SETTINGS. Hex dump for first 5 bytes: 150303000202"));
    assertEquals(
        "not an SSL/TLS record",
        words(Status.UNAVAILABLE, "not an SSL/TLS record: 00001204000000000000037fff"));
    assertEquals(
        "connection ended", words(Status.UNAVAILABLE, "connection ended\nChannel Pipeline: [A#0]"));
  }

  @Test
  void whatAServerSaysIsKept() {
    assertEquals("a: [b] c. D", words(Status.NOT_FOUND, "a: [b] c. D"));
  }

  private static String words(Status status, String description) {
    return LibraryWords.of(status.withDescription(description));
  }
}
