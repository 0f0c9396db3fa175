package inferencegateway.simulator;

import org.jspecify.annotations.Nullable;

/** The JSON of one answer, chunk by chunk or whole, with the oddities its faults ask for. */
final class AnswerJson {

  /** Where the tokens go. */
  record Around(String before, String after) {}

  private final String id;
  private final String model;
  private final long created;
  private final boolean odd;
  private final String extra;
  private final String reasoningKey;

  AnswerJson(String id, String model, FaultSpec spec) {
    this.id = Json.quote(id);
    this.model = Json.quote(model);
    this.created = System.currentTimeMillis() / 1000;
    this.odd = spec.has(Fault.ODD_JSON);
    this.extra = extra(spec);
    this.reasoningKey = spec.has(Fault.REASONING_CONTENT) ? "reasoning_content" : "reasoning";
  }

  private static String extra(FaultSpec spec) {
    StringBuilder extra = new StringBuilder();
    if (spec.has(Fault.DEEP_NESTING)) {
      int depth = spec.number(Fault.DEEP_NESTING, 1);
      extra.append(",\"nested\":").append("[".repeat(depth)).append("]".repeat(depth));
    }
    if (spec.has(Fault.HUGE_NUMBER)) {
      extra
          .append(",\"number\":")
          .append("7".repeat(Math.max(1, spec.number(Fault.HUGE_NUMBER, 1))));
    }
    if (spec.has(Fault.ODD_JSON)) {
      extra.append(
          ",\"kv_transfer_params\":{\"a\":[1,-2.5e-3,{\"choices\":[]},null,true]},\"service_tier\":null");
    }
    return extra.toString();
  }

  String key(boolean reasoning) {
    return reasoning ? reasoningKey : "content";
  }

  /** A chunk whose tokens are content or reasoning. */
  Around tokens(boolean reasoning, String finish, @Nullable Usage usage) {
    String key = "\"" + key(reasoning) + "\"";
    // The last of two equal keys counts.
    String twice = odd ? key + " : \"not this\" ,\t" : "";
    Around chunk = chunk("{" + twice + key + ":\"", "\"}", finish, usage);
    return chunk;
  }

  /** A chunk with any delta, a whole JSON value. */
  String delta(String delta, String finish, @Nullable Usage usage) {
    Around chunk = chunk(delta, "", finish, usage);
    return chunk.before() + chunk.after();
  }

  private Around chunk(String deltaStart, String deltaEnd, String finish, @Nullable Usage usage) {
    String tail = (usage == null ? "" : ",\"usage\":" + usage.json()) + extra + "}";
    if (odd) {
      return new Around(
          "{ \"choices\" :[ {\t\"stop_reason\" : null, \"logprobs\":{\"content\":[]} , \"token_ids\":[1,2] , \"delta\": "
              + deltaStart,
          deltaEnd
              + finish
              + ", \"index\" : 0 } ] , \"model\":\"not this\" , \"created\" : "
              + created
              + " , \"object\" : \"chat.completion.chunk\" , \"model\" : "
              + model
              + ", \"id\" : "
              + id
              + tail);
    }
    return new Around(
        head("chat.completion.chunk") + ",\"choices\":[{\"index\":0,\"delta\":" + deltaStart,
        deltaEnd + ",\"logprobs\":null" + finish + "}]" + tail);
  }

  /** A chunk without choices: the one that carries the usage. */
  String noChoices(@Nullable Usage usage) {
    return head("chat.completion.chunk")
        + ",\"choices\":[]"
        + (usage == null ? "" : ",\"usage\":" + usage.json())
        + "}";
  }

  /** A whole answer around its content. */
  Around whole(boolean hasReasoning, String finish, @Nullable Usage usage) {
    String first = hasReasoning ? "\"" + reasoningKey + "\":\"" : "\"content\":\"";
    String tail =
        ",\"usage\":"
            + (usage == null ? "null" : usage.json())
            + ",\"prompt_logprobs\":null"
            + extra
            + "}";
    return new Around(
        head("chat.completion")
            + ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
            + first,
        "\",\"refusal\":null,\"tool_calls\":[]},\"logprobs\":null" + finish + "}]" + tail);
  }

  private String head(String object) {
    return "{\"id\":"
        + id
        + ",\"object\":\""
        + object
        + "\",\"created\":"
        + created
        + ",\"model\":"
        + model;
  }

  /** The finish keys, with a comma in front; null: not finished yet. */
  static String finish(@Nullable String word, @Nullable String stopReason) {
    return ",\"finish_reason\":"
        + (word == null ? "null" : Json.quote(word))
        + (word == null
            ? ""
            : ",\"stop_reason\":" + (stopReason == null ? "null" : Json.quote(stopReason)));
  }
}
