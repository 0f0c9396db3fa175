package inferencegateway.simulator;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a simulator behaves. Start from {@link #defaults()}.
 *
 * @param host address to listen on
 * @param port 0 lets the system choose, once; a restart keeps the choice
 * @param socketPath a Unix socket to serve on as well
 * @param models what it serves; the first answers when a request names none
 * @param apiKey what {@code /v1} asks for as a bearer; null: nothing
 * @param timeToFirstToken from a free slot to the first token
 * @param interToken between two tokens; zero: as fast as the client takes them
 * @param jitter 0 to 1: by how much of itself a delay varies, both ways
 * @param slots how many answers are generated at once, at least 1
 * @param queueLimit how many wait for a slot, the next one gets 503; {@link #UNBOUNDED}
 * @param answerTokens an answer's natural length; 0: 40 to 120, different each time
 * @param maxModelLen tokens of prompt and answer together
 * @param keepAlive how long an idle connection stays open, as uvicorn's 5 s; zero: for ever
 * @param loops threads, at least 1
 * @param fault in force for every chat request
 * @param journal whether requests are recorded for {@link Simulator#requests()}
 */
public record SimulatorConfig(
    String host,
    int port,
    @Nullable String socketPath,
    List<String> models,
    @Nullable String apiKey,
    Duration timeToFirstToken,
    Duration interToken,
    double jitter,
    int slots,
    int queueLimit,
    int answerTokens,
    int maxModelLen,
    Duration keepAlive,
    int loops,
    FaultSpec fault,
    boolean journal) {

  public static final int UNBOUNDED = Integer.MAX_VALUE;

  public SimulatorConfig {
    models = List.copyOf(models);
    require(!models.isEmpty(), "at least one model is needed");
    require(port >= 0 && port <= 65_535, "port must be 0 to 65535, was " + port);
    require(jitter >= 0 && jitter <= 1, "jitter must be 0 to 1, was " + jitter);
    require(slots >= 1, "slots must be at least 1, was " + slots);
    require(queueLimit >= 0, "queue must not be negative, was " + queueLimit);
    require(answerTokens >= 0, "answer-tokens must not be negative, was " + answerTokens);
    require(maxModelLen >= 16, "max-model-len must be at least 16, was " + maxModelLen);
    require(loops >= 1, "loops must be at least 1, was " + loops);
    require(!timeToFirstToken.isNegative(), "ttft must not be negative");
    require(!interToken.isNegative(), "inter-token must not be negative");
    require(!keepAlive.isNegative(), "keep-alive must not be negative");
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** Loopback, a free port, 50 ms to the first token, 20 ms between tokens, 64 slots. */
  public static SimulatorConfig defaults() {
    return new SimulatorConfig(
        "127.0.0.1",
        0,
        null,
        List.of("simulated-model", "meta-llama/Llama-3.1-8B-Instruct", "qwen2.5-coder:32b"),
        null,
        Duration.ofMillis(50),
        Duration.ofMillis(20),
        0.2,
        64,
        UNBOUNDED,
        0,
        131_072,
        Duration.ofSeconds(5),
        1,
        FaultSpec.NONE,
        true);
  }

  public SimulatorConfig withAddress(String newHost, int newPort) {
    return edited(
        with -> {
          with.host = newHost;
          with.port = newPort;
        });
  }

  public SimulatorConfig withSocketPath(@Nullable String path) {
    return edited(with -> with.socketPath = path);
  }

  public SimulatorConfig withModels(List<String> names) {
    return edited(with -> with.models = names);
  }

  public SimulatorConfig withApiKey(@Nullable String key) {
    return edited(with -> with.apiKey = key);
  }

  public SimulatorConfig withPace(Duration toFirstToken, Duration betweenTokens) {
    return edited(
        with -> {
          with.timeToFirstToken = toFirstToken;
          with.interToken = betweenTokens;
        });
  }

  public SimulatorConfig withJitter(double share) {
    return edited(with -> with.jitter = share);
  }

  public SimulatorConfig withSlots(int running, int waiting) {
    return edited(
        with -> {
          with.slots = running;
          with.queueLimit = waiting;
        });
  }

  public SimulatorConfig withAnswerTokens(int tokens) {
    return edited(with -> with.answerTokens = tokens);
  }

  public SimulatorConfig withMaxModelLen(int tokens) {
    return edited(with -> with.maxModelLen = tokens);
  }

  public SimulatorConfig withKeepAlive(Duration idle) {
    return edited(with -> with.keepAlive = idle);
  }

  public SimulatorConfig withLoops(int threads) {
    return edited(with -> with.loops = threads);
  }

  public SimulatorConfig withFault(String spec) {
    return edited(with -> with.fault = FaultSpec.parse(spec));
  }

  public SimulatorConfig withJournal(boolean recording) {
    return edited(with -> with.journal = recording);
  }

  private SimulatorConfig edited(Consumer<Edit> change) {
    Edit edit = new Edit(this);
    change.accept(edit);
    return edit.done();
  }

  /** The same values, open to change for a moment. */
  private static final class Edit {
    private String host;
    private int port;
    private @Nullable String socketPath;
    private List<String> models;
    private @Nullable String apiKey;
    private Duration timeToFirstToken;
    private Duration interToken;
    private double jitter;
    private int slots;
    private int queueLimit;
    private int answerTokens;
    private int maxModelLen;
    private Duration keepAlive;
    private int loops;
    private FaultSpec fault;
    private boolean journal;

    private Edit(SimulatorConfig from) {
      this.host = from.host;
      this.port = from.port;
      this.socketPath = from.socketPath;
      this.models = from.models;
      this.apiKey = from.apiKey;
      this.timeToFirstToken = from.timeToFirstToken;
      this.interToken = from.interToken;
      this.jitter = from.jitter;
      this.slots = from.slots;
      this.queueLimit = from.queueLimit;
      this.answerTokens = from.answerTokens;
      this.maxModelLen = from.maxModelLen;
      this.keepAlive = from.keepAlive;
      this.loops = from.loops;
      this.fault = from.fault;
      this.journal = from.journal;
    }

    private SimulatorConfig done() {
      return new SimulatorConfig(
          host,
          port,
          socketPath,
          models,
          apiKey,
          timeToFirstToken,
          interToken,
          jitter,
          slots,
          queueLimit,
          answerTokens,
          maxModelLen,
          keepAlive,
          loops,
          fault,
          journal);
    }
  }
}
