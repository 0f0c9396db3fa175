package inferencegateway.http;

/**
 * Status and the headers that anyone here asks for; empty strings where there was none.
 *
 * @param status 200 to 599
 * @param contentType lower case, without parameters, as {@code text/event-stream}
 * @param retryAfter the header's text
 */
public record ResponseHead(int status, String contentType, String retryAfter) {}
