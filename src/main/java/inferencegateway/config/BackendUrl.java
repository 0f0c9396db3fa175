package inferencegateway.config;

import org.jspecify.annotations.Nullable;

/**
 * A backend's address, taken apart once.
 *
 * <p>{@code http://host:8000/v1}, {@code https://host/v1}, or {@code unix:/run/vllm.sock} (path
 * {@code /v1}; another one after a colon: {@code unix:/run/vllm.sock:/openai/v1}).
 *
 * @param text as it was configured; safe to show, since user info in it is refused
 * @param secure whether to speak TLS
 * @param host name or literal address without brackets; empty for a Unix socket
 * @param port 1 to 65535; 0 for a Unix socket
 * @param socketPath the Unix socket; null for TCP
 * @param basePath leading slash, no trailing one, as {@code /v1}; may be empty
 */
public record BackendUrl(
    String text,
    boolean secure,
    String host,
    int port,
    @Nullable String socketPath,
    String basePath) {}
