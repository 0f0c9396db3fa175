package inferencegateway.api;

import inferencegateway.chat.Tracking;
import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The caller's W3C trace context, to the letter of the recommendation or not at all: it is the one
 * thing beside the request id that goes on to the backend.
 */
final class TraceHeaders {

  private static final Metadata.Key<String> PARENT = key("traceparent");
  private static final Metadata.Key<String> STATE = key("tracestate");

  /** Version 00; neither id may be all zeros. */
  private static final Pattern PARENT_FORM =
      Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private static final String NAME = "[a-z0-9][a-z0-9_*/-]";
  private static final Pattern MEMBER =
      Pattern.compile(
          "("
              + NAME
              + "{0,255}|"
              + NAME
              + "{0,240}@[a-z][a-z0-9_*/-]{0,13})"
              + "=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]");

  private static final int MOST_MEMBERS = 32;
  private static final int MOST_CHARS = 512;

  private TraceHeaders() {}

  /** The call's request id, with the trace that it is part of. */
  static Tracking of(Metadata headers) {
    String id = RequestIds.of(headers);
    List<String> parents = all(headers, PARENT);
    return parents.size() == 1 && PARENT_FORM.matcher(parents.get(0)).matches()
        ? new Tracking(id, parents.get(0), state(all(headers, STATE)))
        : Tracking.of(id);
  }

  /** Empty when any of it is wrong; the trace goes on without (section 3.3.1.1 of W3C's text). */
  private static String state(List<String> values) {
    List<String> members = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String value : values) {
      if (value.length() > MOST_CHARS) {
        return "";
      }
      for (String part : value.split(",", -1)) {
        String member = stripBlanks(part);
        if (!member.isEmpty() && !isNew(member, names)) {
          return "";
        }
        members.add(member);
      }
    }
    members.removeIf(String::isEmpty);
    String joined = String.join(",", members);
    return members.size() > MOST_MEMBERS || joined.length() > MOST_CHARS ? "" : joined;
  }

  private static boolean isNew(String member, Set<String> names) {
    return MEMBER.matcher(member).matches() && names.add(member.substring(0, member.indexOf('=')));
  }

  private static String stripBlanks(String part) {
    int from = 0;
    int to = part.length();
    while (from < to && isBlank(part.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(part.charAt(to - 1))) {
      to--;
    }
    return part.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static List<String> all(Metadata headers, Metadata.Key<String> key) {
    @Nullable Iterable<String> values = headers.getAll(key);
    List<String> all = new ArrayList<>();
    if (values != null) {
      values.forEach(all::add);
    }
    return all;
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
