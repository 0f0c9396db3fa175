package inferencegateway.cli;

import org.jspecify.annotations.Nullable;

/** What {@code generate} asks; null where the gateway's own default is to hold. */
record Prompt(
    String text,
    @Nullable String system,
    @Nullable String model,
    @Nullable Integer maxTokens,
    @Nullable Double temperature) {}
