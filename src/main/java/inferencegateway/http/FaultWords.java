package inferencegateway.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Exceptions in words for {@link HttpFault}: what the system said, never what a peer wrote. */
final class FaultWords {
  private FaultWords() {}

  static String of(@Nullable Throwable cause) {
    if (cause == null) {
      return "closed";
    }
    Throwable root = cause;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return message == null ? type(root) : type(root) + ": " + message;
  }

  static String type(Throwable cause) {
    return cause.getClass().getSimpleName();
  }

  /** EMFILE and ENFILE, however the transport wraps them. */
  static boolean saysNoMoreFiles(Throwable cause) {
    return mentions(cause, "too many open files") || mentions(cause, "no buffer space");
  }

  /** EADDRNOTAVAIL: out of ports, or an address family that this host lacks. */
  static boolean saysNoAddress(Throwable cause) {
    return mentions(cause, "assign requested address");
  }

  private static boolean mentions(Throwable cause, String words) {
    for (Throwable t = cause; t != null; t = t.getCause()) {
      String message = t.getMessage();
      if (message != null && message.toLowerCase(Locale.ROOT).contains(words)) {
        return true;
      }
      if (t.getCause() == t) {
        return false;
      }
    }
    return false;
  }
}
