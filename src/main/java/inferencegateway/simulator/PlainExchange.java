package inferencegateway.simulator;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Everything but a chat: health, models, metrics, version, and paths that are not there. */
@SuppressWarnings("FutureReturnValueIgnored") // A late answer has nobody waiting for it.
final class PlainExchange implements Exchange {

  private static final long STARTED = System.currentTimeMillis() / 1000;
  private static final String VERSION = "{\"version\":\"0.29.0+simulated\"}";

  private final Engine engine;
  private final Connection connection;
  private final HttpAsk ask;
  private final JournalEntry entry;
  private final boolean allowed;
  private boolean lost;

  PlainExchange(
      Engine engine, Connection connection, HttpAsk ask, JournalEntry entry, boolean allowed) {
    this.engine = engine;
    this.connection = connection;
    this.ask = ask;
    this.entry = entry;
    this.allowed = allowed;
  }

  @Override
  public void begin() {
    String asked = ask.header(ChatExchange.FAULT_HEADER);
    try {
      route(asked == null ? FaultSpec.NONE : FaultSpec.parse(asked));
    } catch (IllegalArgumentException unknown) {
      reply(FaultSpec.NONE)
          .answer(ErrorAnswer.badRequest(String.valueOf(unknown.getMessage()), null));
    }
  }

  private void route(FaultSpec own) {
    String status = own.text(Fault.STATUS);
    if (!allowed) {
      reply(own).answer(ErrorAnswer.unauthorized());
    } else if (status != null) {
      reply(own).answer(ErrorAnswer.requested(status, own));
    } else if (!isKnown()) {
      reply(own).answer(ErrorAnswer.detail(404));
    } else if (!ask.method().equals("GET")) {
      reply(own).answer(ErrorAnswer.detail(405));
    } else {
      // A standing fault is meant for chats; here only the faults named after these routes count.
      FaultSpec spec = engine.standingFault().and(own.toString());
      page(reply(own), spec);
    }
  }

  private boolean isKnown() {
    return switch (ask.path()) {
      case "/health", "/ping", "/v1/models", "/metrics", "/version", "/v1/chat/completions" -> true;
      default -> false;
    };
  }

  private void page(Reply reply, FaultSpec spec) {
    switch (ask.path()) {
      case "/health", "/ping" -> health(reply, spec);
      case "/v1/models" -> models(reply, spec);
      case "/metrics" ->
          reply.whole(200, MetricsPage.CONTENT_TYPE, new MetricsPage(engine).render(), List.of());
      case "/version" -> reply.json(VERSION);
      default -> reply.answer(ErrorAnswer.detail(405));
    }
  }

  private void health(Reply reply, FaultSpec spec) {
    String asked = spec.text(Fault.HEALTH_STATUS, "200");
    String status = engine.isHealthy() ? asked : "503";
    Runnable answer =
        () -> reply.whole(Integer.parseInt(status.substring(0, 3)), "text/plain", "", List.of());
    Duration slow = spec.duration(Fault.SLOW_HEALTH);
    if (slow == null) {
      answer.run();
    } else {
      later(slow, answer);
    }
  }

  private void later(Duration delay, Runnable answer) {
    Runnable unlessLost =
        () -> {
          if (!lost) {
            answer.run();
          }
        };
    connection.channel().eventLoop().schedule(unlessLost, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void models(Reply reply, FaultSpec spec) {
    String status = spec.text(Fault.MODELS_STATUS);
    if (status != null) {
      reply.answer(ErrorAnswer.requested(status, spec));
      return;
    }
    String models =
        engine.config().models().stream()
            .map(name -> model(name, spec.has(Fault.OWN_ROOTS) ? name : firstModel()))
            .collect(Collectors.joining(","));
    reply.json("{\"object\":\"list\",\"data\":[" + models + "]}");
  }

  private String firstModel() {
    return engine.config().models().get(0);
  }

  private String model(String name, String root) {
    return "{\"id\":"
        + Json.quote(name)
        + ",\"object\":\"model\",\"created\":"
        + STARTED
        + ",\"owned_by\":\"vllm\",\"root\":"
        + Json.quote(root)
        + ",\"parent\":null,\"max_model_len\":"
        + engine.config().maxModelLen()
        + ",\"permission\":["
        + permission(name)
        + "]}";
  }

  private static String permission(String name) {
    return "{\"id\":\"modelperm-"
        + Integer.toHexString(name.hashCode())
        + "\",\"object\":\"model_permission\",\"created\":"
        + STARTED
        + ",\"allow_create_engine\":false,\"allow_sampling\":true,\"allow_logprobs\":true,\"allow_search_indices\":false"
        + ",\"allow_view\":true,\"allow_fine_tuning\":false,\"organization\":\"*\",\"group\":null,\"is_blocking\":false}";
  }

  private Reply reply(FaultSpec spec) {
    return new Reply(connection, ask, spec);
  }

  @Override
  public void lost(boolean byClient) {
    lost = true;
    entry.disconnected();
    ended();
  }

  @Override
  public void ended() {
    entry.ended();
  }
}
