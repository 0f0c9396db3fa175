package inferencegateway.simulator;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A chat request that vLLM would accept.
 *
 * @param model as asked for, or the default one
 * @param prompt the text of all messages but for the beginning
 * @param beginning of the answer, which goes on from there; empty: it begins
 * @param promptTokens a rough count, see {@link ChatAskReader}
 * @param maxTokens empty: the rest of the context
 * @param seed empty: any; for temperature 0, which is greedy, one made of the prompt
 */
record ChatAsk(
    String model,
    String prompt,
    String beginning,
    int promptTokens,
    boolean stream,
    boolean includeUsage,
    boolean continuousUsage,
    OptionalInt maxTokens,
    int minTokens,
    boolean ignoreEos,
    List<String> stop,
    OptionalLong seed) {}
