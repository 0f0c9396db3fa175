package inferencegateway.http;

import java.util.Map;

/**
 * A request with a complete body. Host, Content-Length and Connection are the client's own
 * business.
 *
 * @param method "GET" or "POST"
 * @param path from the slash on, as {@code /v1/models}
 * @param headers names in lower case; values are checked by the client: no control characters
 * @param body empty for none; not changed after it was handed over
 */
public record HttpRequest(String method, String path, Map<String, String> headers, byte[] body) {}
