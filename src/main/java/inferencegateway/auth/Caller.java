package inferencegateway.auth;

/**
 * Whose a call is.
 *
 * @param name the operator's name for it, or that of its certificate; for logs. Empty where callers
 *     are not told apart by name
 * @param share what calls that share limits and a fair part have in common: the name, else the
 *     address that they come from
 * @param models what {@link #mayUse} goes by
 * @param methods what {@link #mayCall} goes by
 */
public record Caller(
    String name, String share, Allowed models, Allowed methods, CallerLimits limits) {

  /** A caller of the operator's list. */
  public static Caller known(String name, Allowed models, Allowed methods, CallerLimits limits) {
    return new Caller(name, name, models, methods, limits);
  }

  /** Where nobody is asked who they are. */
  public static Caller anyone(String host) {
    return new Caller("", host, Allowed.ALL, Allowed.ALL, CallerLimits.NONE);
  }

  /** Known by nothing but a certificate that an authority of ours has signed. */
  static Caller certified(String name) {
    return known(name, Allowed.ALL, Allowed.ALL, CallerLimits.NONE);
  }

  /**
   * @param model as it would be sent upstream; empty: the backend's choice, so that only who may
   *     use all may use it
   */
  public boolean mayUse(String model) {
    return models.has(model);
  }

  /**
   * @param method full name, as {@code llm.v1.LLMService/Complete}
   */
  public boolean mayCall(String method) {
    return methods.has(method);
  }

  @Override
  public String toString() {
    return name.isEmpty() ? share : name;
  }
}
