package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.chat.Reason;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditLogTest {

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong now = new AtomicLong();
  private final AuditLog audit = new AuditLog(now::get, any -> {});

  @BeforeEach
  void listen() {
    lines.start();
    logger().addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    logger().detachAppender(lines);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("audit");
  }

  private static Denial denial(Reason reason) {
    return new Denial(
        reason, "id-1", "", "key", "/10.0.0.1:5", "a/b", "", "unknown key", Context.root());
  }

  private Map<String, String> pairs(int line) {
    return lines.list.get(line).getKeyValuePairs().stream()
        .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value)));
  }

  @Test
  void oneDenialIsOneLine() {
    audit.denied(denial(Reason.UNAUTHENTICATED));
    audit.denied(
        new Denial(
            Reason.PERMISSION_DENIED,
            "id-2",
            "shop",
            "",
            "/10.0.0.1:5",
            "a/b",
            "m".repeat(500),
            "",
            Context.root()));
    assertEquals(
        Map.of(
            "reason", "UNAUTHENTICATED",
            "request_id", "id-1",
            "credential", "key",
            "peer", "/10.0.0.1:5",
            "method", "a/b",
            "detail", "unknown key"),
        pairs(0));
    assertEquals("shop", pairs(1).get("caller"));
    assertEquals("m".repeat(200) + "...", pairs(1).get("model"));
  }

  @Test
  void floodWritesFewLinesAndTellsHowManyItLeftOut() {
    for (int i = 0; i < 10_000; i++) {
      audit.denied(denial(Reason.UNAUTHENTICATED));
      now.addAndGet(1_000_000);
    }
    assertTrue(lines.list.size() <= 151, () -> "lines: " + lines.list.size());
    assertTrue(lines.list.size() >= 149, () -> "lines: " + lines.list.size());
    now.addAndGet(1_000_000_000);
    audit.denied(denial(Reason.UNAUTHENTICATED));
    long told =
        List.copyOf(lines.list).stream()
            .flatMap(line -> line.getKeyValuePairs().stream())
            .filter(pair -> pair.key.equals("left_out"))
            .mapToLong(pair -> Long.parseLong(String.valueOf(pair.value)))
            .sum();
    assertEquals(10_001, told + lines.list.size());
  }

  @Test
  void floodOfStrangersDoesNotHideWhatKnownCallersTry() {
    for (int i = 0; i < 1_000; i++) {
      audit.denied(denial(Reason.UNAUTHENTICATED));
    }
    int before = lines.list.size();
    audit.denied(denial(Reason.PERMISSION_DENIED));
    assertEquals(before + 1, lines.list.size());
  }
}
