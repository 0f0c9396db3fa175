package inferencegateway.config;

/** A value that must never be shown. */
public record Secret(String value) {

  @Override
  public String toString() {
    return "***";
  }
}
