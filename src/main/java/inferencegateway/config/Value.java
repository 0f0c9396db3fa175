package inferencegateway.config;

/** A value as it was written, and where. */
record Value(String text, Source source) {}
