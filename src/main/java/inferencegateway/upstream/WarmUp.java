package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Role;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Goes once through every kind of JSON that is written or read here. */
final class WarmUp {

  /** Enough for the first tier of the compiler. */
  private static final int ROUNDS = 300;

  private static final byte[] CHUNK =
      ("{\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":"
              + "[{\"index\":0,\"delta\":{\"content\":\"a\",\"reasoning\":\"b\"},\"logprobs\":null,"
              + "\"finish_reason\":\"stop\",\"stop_reason\":null}],\"usage\":{\"prompt_tokens\":1,"
              + "\"completion_tokens\":1,\"total_tokens\":2,\"prompt_tokens_details\":null}}")
          .getBytes(UTF_8);

  private static final byte[] MODELS =
      "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"object\":\"model\",\"created\":1}]}"
          .getBytes(UTF_8);

  private static final byte[] ERROR =
      "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"param\":null,\"code\":400}}".getBytes(UTF_8);

  private WarmUp() {}

  static void run() {
    try {
      ChunkDecoder decoder = new ChunkDecoder();
      for (int i = 0; i < ROUNDS; i++) {
        ChatBody.write(everything(), i % 2 == 0);
        decoder.decode(CHUNK, 0, CHUNK.length);
        ModelList.parse(MODELS, 0, MODELS.length);
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot read what the warm-up wrote", e);
    }
    ErrorReply reply = ErrorReply.parse(ERROR, 0, ERROR.length);
    new ReplyFailures(new ErrorText(List::of)).of(400, reply, everything(), null);
  }

  /** Every field set, so that every serializer is found now. */
  static ChatRequest everything() {
    List<ChatMessage> messages =
        Arrays.stream(Role.values()).map(role -> new ChatMessage(role, "text")).toList();
    Sampling sampling = new Sampling(0.7, 0.9, 40, 0.05, 0.1, 0.2, 1.1, 7L, Map.of(5, -100.0));
    Stopping stopping = new Stopping(List.of("a", "b"), List.of(1, 2), true, 3, true);
    return new ChatRequest("m", messages, 256, sampling, stopping, TimeLimits.UNSET);
  }
}
