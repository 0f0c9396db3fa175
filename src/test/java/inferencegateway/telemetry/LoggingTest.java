package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import inferencegateway.config.LogConfig;
import inferencegateway.testing.Eventually;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class LoggingTest {

  private static final LogConfig INFO = new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.INFO);

  private static final Logger LOG = LoggerFactory.getLogger("inferencegateway.server.Listener");

  @Test
  void textIsOneLineOfPairs() {
    List<String> lines =
        logged(
            LogConfig.Format.TEXT,
            LogConfig.Level.INFO,
            () -> LOG.atInfo().addKeyValue("port", 5).addKeyValue("name", "a b").log("started"));
    assertEquals(1, lines.size());
    assertTrue(
        lines
            .get(0)
            .matches(
                "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z INFO  started port=5"
                    + " name=\"a b\" logger=Listener"),
        lines.get(0));
  }

  @Test
  void nothingFromOutsideBreaksALine() {
    String evil = "x\r\ny\u2028z\u001b[2J\u202e\"=\\";
    List<String> text =
        logged(
            LogConfig.Format.TEXT,
            LogConfig.Level.INFO,
            () -> LOG.atInfo().addKeyValue("v", evil).log("m " + evil));
    assertEquals(1, text.size(), text.toString());
    assertTrue(
        text.get(0).contains("v=\"x\\r\\ny\\u2028z\\u001b[2J\\u202e\\\"=\\\\\""), text.get(0));
  }

  @Test
  void textOfAnErrorCannotPassForALine() {
    List<String> lines =
        logged(
            LogConfig.Format.TEXT,
            LogConfig.Level.INFO,
            () -> LOG.error("broken", new IllegalStateException("a\n2026-01-01 INFO forged")));
    assertTrue(lines.size() > 2);
    assertTrue(lines.stream().skip(1).allMatch(line -> line.startsWith("  | ")), lines.toString());
  }

  @Test
  void jsonIsOneFlatObjectALine() throws IOException {
    List<String> lines =
        logged(
            LogConfig.Format.JSON,
            LogConfig.Level.INFO,
            () ->
                LOG.atWarn()
                    .setCause(new IllegalStateException("why"))
                    .addKeyValue("port", 5)
                    .addKeyValue("ratio", Double.NaN)
                    .addKeyValue("open", true)
                    .addKeyValue("level", "own")
                    .addKeyValue("text", "a\nb\ud800")
                    .addKeyValue("none", (Object) null)
                    .log("said {}", "so"));
    assertEquals(1, lines.size());
    JsonNode line = new ObjectMapper().readTree(lines.get(0));
    assertTrue(line.get("timestamp").asText().matches("\\d{4}-.*T.*Z"));
    assertEquals("WARN", line.get("level").asText());
    assertEquals("inferencegateway.server.Listener", line.get("logger").asText());
    assertEquals("said so", line.get("message").asText());
    assertEquals(5, line.get("port").intValue());
    assertEquals("NaN", line.get("ratio").textValue());
    assertTrue(line.get("open").booleanValue());
    assertEquals("own", line.get("level_").asText());
    assertEquals("a\nb?", line.get("text").asText());
    assertTrue(line.get("none").isNull());
    assertTrue(line.get("error").asText().contains("IllegalStateException: why"));
  }

  @Test
  void levelIsTheLeastThatIsWritten() {
    Runnable all =
        () -> {
          LOG.debug("d");
          LOG.info("i");
          LOG.warn("w");
          LOG.error("e");
        };
    assertEquals(4, logged(LogConfig.Format.TEXT, LogConfig.Level.DEBUG, all).size());
    assertEquals(3, logged(LogConfig.Format.TEXT, LogConfig.Level.INFO, all).size());
    assertEquals(2, logged(LogConfig.Format.TEXT, LogConfig.Level.WARN, all).size());
    assertEquals(1, logged(LogConfig.Format.TEXT, LogConfig.Level.ERROR, all).size());
  }

  @Test
  void warningsOfTheLibraryComeOnceWithoutTraces() {
    java.util.logging.Logger grpc =
        java.util.logging.Logger.getLogger("io.grpc.netty.NettyServerHandler");
    List<String> lines =
        logged(
            LogConfig.Format.TEXT,
            LogConfig.Level.INFO,
            () -> {
              for (int i = 0; i < 1000; i++) {
                grpc.log(Level.WARNING, "stream " + i + " broken", new IllegalStateException("no"));
              }
              grpc.info("connected");
            });
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains("error=\"java.lang.IllegalStateException: no\""));
  }

  @Test
  void tracesOfTheLibraryAreKeptForDebugging() {
    Logger grpc = LoggerFactory.getLogger("io.grpc.internal.ServerImpl");
    List<String> lines =
        logged(
            LogConfig.Format.TEXT,
            LogConfig.Level.DEBUG,
            () -> grpc.warn("broken", new IllegalStateException("no")));
    assertTrue(lines.size() > 2, lines.toString());
  }

  @Test
  void fullPipeHoldsNobodyUpAndLossesAreCounted() throws InterruptedException {
    CountDownLatch reader = new CountDownLatch(1);
    Logging logging = Logging.start(INFO, new ErrorOutput(new StuckPipe(reader)));
    try {
      CountDownLatch written = new CountDownLatch(1);
      new Thread(
              () -> {
                for (int i = 0; i < 40_000; i++) {
                  LOG.info("line");
                }
                written.countDown();
              })
          .start();
      assertTrue(written.await(10, TimeUnit.SECONDS));
      assertTrue(logging.dropped() > 10_000, "dropped " + logging.dropped());
    } finally {
      reader.countDown();
      logging.stop();
    }
  }

  /** O10. Once there is room again, the log goes on and tells. */
  @Test
  void linesThatAFullDiskDoesNotTakeAreCounted() throws InterruptedException {
    FullDisk disk = new FullDisk();
    Logging logging = Logging.start(INFO, new ErrorOutput(disk));
    try (logging) {
      for (int i = 0; i < 100; i++) {
        LOG.info("lost");
      }
      Eventually.within(Duration.ofSeconds(5))
          .assertThat("all are counted", () -> logging.dropped() == 100);
      disk.full = false;
      LOG.info("kept");
      Eventually.within(Duration.ofSeconds(5))
          .assertThat("there is room again", () -> !disk.text().isEmpty());
      LOG.info("kept too");
    }
    assertEquals(100, logging.dropped());
    List<String> lines = disk.text().lines().toList();
    assertEquals(3, lines.size(), lines.toString());
    assertTrue(lines.get(1).contains("100 log lines were dropped"), lines.toString());
  }

  @Test
  void ordinaryWritingLosesNothing() {
    List<String> lines =
        logged(
            LogConfig.Format.TEXT,
            LogConfig.Level.INFO,
            () -> {
              for (int i = 0; i < 2000; i++) {
                LOG.info("line");
              }
            });
    assertEquals(2000, lines.size());
    assertFalse(lines.get(1999).isEmpty());
  }

  private static List<String> logged(
      LogConfig.Format format, LogConfig.Level level, Runnable step) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Logging logging = Logging.start(new LogConfig(format, level), new ErrorOutput(bytes))) {
      step.run();
      assertEquals(0, logging.dropped());
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static final class FullDisk extends OutputStream {

    private final ByteArrayOutputStream room = new ByteArrayOutputStream();
    private volatile boolean full = true;

    @Override
    public void write(int b) throws IOException {
      if (full) {
        throw new IOException("No space left on device");
      }
      room.write(b);
    }

    String text() {
      return room.toString(StandardCharsets.UTF_8);
    }
  }

  /** Takes nothing until told. */
  private static final class StuckPipe extends OutputStream {

    private final CountDownLatch reader;

    private StuckPipe(CountDownLatch reader) {
      this.reader = reader;
    }

    @Override
    public void write(int b) {
      try {
        reader.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
