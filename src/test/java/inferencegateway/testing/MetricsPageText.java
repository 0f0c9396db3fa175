package inferencegateway.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One reading of a page of metrics, taken apart. */
public record MetricsPageText(String text, List<Series> series) {

  public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*?)\\})? (\\S+)(?: # .*)?");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_]\\w*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** One line that is no comment. */
  public record Series(String name, Map<String, String> labels, double value) {
    boolean has(Map<String, String> wanted) {
      return labels.entrySet().containsAll(wanted.entrySet());
    }
  }

  public static MetricsPageText read(int port) {
    return read(port, "text/plain");
  }

  public static MetricsPageText read(int port, String accept) {
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                      .header("Accept", accept)
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new AssertionError("status " + answer.statusCode() + ": " + answer.body());
      }
      return of(answer.body());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public static MetricsPageText of(String text) {
    List<Series> all = new ArrayList<>();
    for (String line : text.lines().filter(each -> !each.startsWith("#")).toList()) {
      Matcher parts = LINE.matcher(line);
      if (!parts.matches()) {
        throw new AssertionError("not a line of metrics: " + line);
      }
      Map<String, String> labels = new HashMap<>();
      Matcher label = LABEL.matcher(parts.group(2) == null ? "" : parts.group(2));
      while (label.find()) {
        labels.put(label.group(1), label.group(2));
      }
      all.add(new Series(parts.group(1), Map.copyOf(labels), number(parts.group(3))));
    }
    return new MetricsPageText(text, List.copyOf(all));
  }

  private static double number(String text) {
    return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
  }

  /** The sum of all series of that name that have these labels; 0 for none. */
  public double sum(String name, Map<String, String> labels) {
    return series.stream()
        .filter(each -> each.name().equals(name) && each.has(labels))
        .mapToDouble(Series::value)
        .sum();
  }

  public double sum(String name) {
    return sum(name, Map.of());
  }

  public boolean has(String name) {
    return series.stream().anyMatch(each -> each.name().equals(name));
  }
}
