package inferencegateway.route;

import inferencegateway.admission.Capacity;
import inferencegateway.upstream.OpenAiBackend;
import java.util.List;

/** One server behind the gateway, and what is known of it now. Thread-safe. */
public final class Backend {

  private final String name;
  private final OpenAiBackend api;
  private final Capacity capacity;

  /** What it listed last; written by its probe, read by every loop. */
  private volatile List<String> models = List.of();

  /** Whether its probes go well; calls go elsewhere while not, if there is an elsewhere. */
  private volatile boolean up = true;

  /**
   * @param name the operator's, for people and labels; no address
   */
  public Backend(String name, OpenAiBackend api, Capacity capacity) {
    this.name = name;
    this.api = api;
    this.capacity = capacity;
  }

  public String name() {
    return name;
  }

  public OpenAiBackend api() {
    return api;
  }

  public Capacity capacity() {
    return capacity;
  }

  /** Takes over the list of the last good probe. */
  public void served(List<String> names) {
    models = List.copyOf(names);
  }

  public List<String> models() {
    return models;
  }

  public void up(boolean isUp) {
    up = isUp;
  }

  public boolean isUp() {
    return up;
  }
}
