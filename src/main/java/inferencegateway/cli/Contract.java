package inferencegateway.cli;

import io.grpc.Channel;
import java.time.Duration;

/** One of the two contracts, spoken as a client. Both calls throw StatusRuntimeException. */
interface Contract {

  Ending stream(Channel channel, Duration deadline, Prompt prompt, Answer answer);

  Ending whole(Channel channel, Duration deadline, Prompt prompt, Answer answer);

  /** As {@code --contract} takes it. */
  enum Name {
    llm,
    inference;

    Contract spoken() {
      return switch (this) {
        case llm -> new LlmContract();
        case inference -> new InferenceContract();
      };
    }
  }
}
