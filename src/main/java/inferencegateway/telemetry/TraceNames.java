package inferencegateway.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/**
 * The closed list of names in spans; a table of the docs repeats it and a test holds the two
 * together. OpenTelemetry's own words where it has some: semantic conventions 1.44.0, and {@code
 * gen_ai.*} of its repository for generative AI, which are still in development.
 */
final class TraceNames {

  // --- both spans ---

  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
  static final AttributeKey<String> MODEL = AttributeKey.stringKey("gen_ai.request.model");
  static final AttributeKey<Boolean> STREAM = AttributeKey.booleanKey("gen_ai.request.stream");
  static final AttributeKey<List<String>> FINISH =
      AttributeKey.stringArrayKey("gen_ai.response.finish_reasons");
  static final AttributeKey<Long> INPUT = AttributeKey.longKey("gen_ai.usage.input_tokens");
  static final AttributeKey<Long> OUTPUT = AttributeKey.longKey("gen_ai.usage.output_tokens");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  // --- the caller's call ---

  static final AttributeKey<String> RPC_SYSTEM = AttributeKey.stringKey("rpc.system.name");
  static final AttributeKey<String> RPC_METHOD = AttributeKey.stringKey("rpc.method");
  static final AttributeKey<String> RPC_STATUS = AttributeKey.stringKey("rpc.response.status_code");
  static final AttributeKey<String> PEER_ADDRESS = AttributeKey.stringKey("network.peer.address");
  static final AttributeKey<Long> PEER_PORT = AttributeKey.longKey("network.peer.port");
  static final AttributeKey<String> REQUEST_ID = own("request_id");
  static final AttributeKey<String> CALLER = own("caller");
  static final AttributeKey<String> OUTCOME = own("outcome");
  static final AttributeKey<String> REASON = own("reason");
  static final AttributeKey<String> PHASE = own("phase");
  static final AttributeKey<Double> QUEUE = seconds("queue.duration");
  static final AttributeKey<Double> PAUSED = seconds("backpressure.duration");
  static final AttributeKey<Long> PAUSES = count("backpressure.count");
  static final AttributeKey<Long> ATTEMPTS = count("attempts");

  // --- one attempt at a backend ---

  static final AttributeKey<String> PROVIDER = AttributeKey.stringKey("gen_ai.provider.name");
  static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
  static final AttributeKey<Long> MAX_TOKENS = AttributeKey.longKey("gen_ai.request.max_tokens");
  static final AttributeKey<Double> TEMPERATURE =
      AttributeKey.doubleKey("gen_ai.request.temperature");
  static final AttributeKey<Double> TOP_P = AttributeKey.doubleKey("gen_ai.request.top_p");
  static final AttributeKey<Long> TOP_K = AttributeKey.longKey("gen_ai.request.top_k");
  static final AttributeKey<Double> FREQUENCY_PENALTY =
      AttributeKey.doubleKey("gen_ai.request.frequency_penalty");
  static final AttributeKey<Double> PRESENCE_PENALTY =
      AttributeKey.doubleKey("gen_ai.request.presence_penalty");
  static final AttributeKey<Long> SEED = AttributeKey.longKey("gen_ai.request.seed");
  static final AttributeKey<String> RESPONSE_ID = AttributeKey.stringKey("gen_ai.response.id");
  static final AttributeKey<String> RESPONSE_MODEL =
      AttributeKey.stringKey("gen_ai.response.model");
  static final AttributeKey<Double> FIRST_CHUNK =
      AttributeKey.doubleKey("gen_ai.response.time_to_first_chunk");
  static final AttributeKey<Long> CACHED =
      AttributeKey.longKey("gen_ai.usage.cache_read.input_tokens");
  static final AttributeKey<Long> REASONING =
      AttributeKey.longKey("gen_ai.usage.reasoning.output_tokens");
  static final AttributeKey<String> BACKEND = own("backend");
  static final AttributeKey<Long> ATTEMPT = count("attempt");
  static final AttributeKey<Boolean> REUSED =
      AttributeKey.booleanKey("inference_gateway.connection.reused");

  // --- events ---

  static final String ADMITTED = "admitted";
  static final String CONNECTED = "connected";
  static final String FIRST_TOKEN = "first_token";
  static final String PAUSED_EVENT = "paused";
  static final String RESUMED = "resumed";
  static final String CANCELLED = "cancelled";

  static final List<AttributeKey<?>> ATTRIBUTES =
      List.of(
          OPERATION,
          MODEL,
          STREAM,
          FINISH,
          INPUT,
          OUTPUT,
          ERROR,
          RPC_SYSTEM,
          RPC_METHOD,
          RPC_STATUS,
          PEER_ADDRESS,
          PEER_PORT,
          REQUEST_ID,
          CALLER,
          OUTCOME,
          REASON,
          PHASE,
          QUEUE,
          PAUSED,
          PAUSES,
          ATTEMPTS,
          PROVIDER,
          SERVER_ADDRESS,
          SERVER_PORT,
          MAX_TOKENS,
          TEMPERATURE,
          TOP_P,
          TOP_K,
          FREQUENCY_PENALTY,
          PRESENCE_PENALTY,
          SEED,
          RESPONSE_ID,
          RESPONSE_MODEL,
          FIRST_CHUNK,
          CACHED,
          REASONING,
          BACKEND,
          ATTEMPT,
          REUSED);

  static final List<String> EVENTS =
      List.of(ADMITTED, CONNECTED, FIRST_TOKEN, PAUSED_EVENT, RESUMED, CANCELLED);

  private TraceNames() {}

  private static AttributeKey<String> own(String name) {
    return AttributeKey.stringKey("inference_gateway." + name);
  }

  private static AttributeKey<Double> seconds(String name) {
    return AttributeKey.doubleKey("inference_gateway." + name);
  }

  private static AttributeKey<Long> count(String name) {
    return AttributeKey.longKey("inference_gateway." + name);
  }
}
