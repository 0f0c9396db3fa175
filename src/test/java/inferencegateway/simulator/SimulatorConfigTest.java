package inferencegateway.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatorConfigTest {

  @Test
  void defaultsAreThose() {
    SimulatorConfig config = SimulatorConfig.defaults();
    assertEquals("127.0.0.1", config.host());
    assertEquals(0, config.port());
    assertNull(config.socketPath());
    assertEquals(
        List.of("simulated-model", "meta-llama/Llama-3.1-8B-Instruct", "qwen2.5-coder:32b"),
        config.models());
    assertNull(config.apiKey());
    assertEquals(Duration.ofMillis(50), config.timeToFirstToken());
    assertEquals(Duration.ofMillis(20), config.interToken());
    assertEquals(0.2, config.jitter());
    assertEquals(64, config.slots());
    assertEquals(SimulatorConfig.UNBOUNDED, config.queueLimit());
    assertEquals(0, config.answerTokens());
    assertEquals(131_072, config.maxModelLen());
    assertEquals(Duration.ofSeconds(5), config.keepAlive());
    assertEquals(1, config.loops());
    assertEquals("", config.fault().toString());
    assertTrue(config.journal());
  }

  @Test
  void everythingCanBeSet() {
    SimulatorConfig config =
        SimulatorConfig.defaults()
            .withAddress("::1", 9)
            .withSocketPath("/s")
            .withModels(List.of("m"))
            .withApiKey("k")
            .withPace(Duration.ofMillis(1), Duration.ofMillis(2))
            .withJitter(0.5)
            .withSlots(3, 4)
            .withAnswerTokens(5)
            .withMaxModelLen(600)
            .withKeepAlive(Duration.ofSeconds(7))
            .withLoops(2)
            .withFault("bom")
            .withJournal(false);
    assertEquals("::1", config.host());
    assertEquals(9, config.port());
    assertEquals("/s", config.socketPath());
    assertEquals(List.of("m"), config.models());
    assertEquals("k", config.apiKey());
    assertEquals(Duration.ofMillis(1), config.timeToFirstToken());
    assertEquals(Duration.ofMillis(2), config.interToken());
    assertEquals(0.5, config.jitter());
    assertEquals(3, config.slots());
    assertEquals(4, config.queueLimit());
    assertEquals(5, config.answerTokens());
    assertEquals(600, config.maxModelLen());
    assertEquals(Duration.ofSeconds(7), config.keepAlive());
    assertEquals(2, config.loops());
    assertEquals("bom", config.fault().toString());
    assertFalse(config.journal());
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    SimulatorConfig config = SimulatorConfig.defaults();
    assertThrows(IllegalArgumentException.class, () -> config.withModels(List.of()));
    assertThrows(IllegalArgumentException.class, () -> config.withAddress("x", 70_000));
    assertThrows(IllegalArgumentException.class, () -> config.withJitter(1.5));
    assertThrows(IllegalArgumentException.class, () -> config.withSlots(0, 0));
    assertThrows(IllegalArgumentException.class, () -> config.withLoops(0));
    assertThrows(IllegalArgumentException.class, () -> config.withFault("nonsense"));
  }
}
