package inferencegateway.config;

/**
 * How many calls a backend is given.
 *
 * @param running key {@code admission.running}; at once
 * @param waiting key {@code admission.waiting}; behind them; more are refused at once
 */
public record AdmissionConfig(int running, int waiting) {
  public AdmissionConfig {
    new Check()
        .atLeast("admission.running", running, 1)
        .atLeast("admission.waiting", waiting, 0)
        .done();
  }
}
