package inferencegateway.api;

import inferencegateway.call.Statuses;
import io.grpc.Metadata;
import java.util.concurrent.ThreadLocalRandom;

/** The name of a call: the caller's own where it is harmless, else one of ours. */
final class RequestIds {

  private static final int MAX_CHARS = 128;

  private RequestIds() {}

  /** 1 to 128 characters of {@code A-Za-z0-9._-}: safe in headers, logs and URLs. */
  static String of(Metadata headers) {
    String asked = headers.get(Statuses.REQUEST_ID);
    return asked != null && isHarmless(asked) ? asked : random();
  }

  private static boolean isHarmless(String id) {
    return !id.isEmpty() && id.length() <= MAX_CHARS && id.chars().allMatch(RequestIds::isPlain);
  }

  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  private static String random() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return String.format("%016x%016x", random.nextLong(), random.nextLong());
  }
}
