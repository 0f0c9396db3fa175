package inferencegateway.simulator;

/** Tokens of one answer so far. */
record Usage(int prompt, int completion) {

  String json() {
    return "{\"prompt_tokens\":"
        + prompt
        + ",\"total_tokens\":"
        + (prompt + completion)
        + ",\"completion_tokens\":"
        + completion
        + ",\"prompt_tokens_details\":null}";
  }
}
