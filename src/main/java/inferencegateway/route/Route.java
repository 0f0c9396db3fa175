package inferencegateway.route;

import inferencegateway.admission.Admission;
import inferencegateway.upstream.OpenAiBackend;

/**
 * Where one call goes.
 *
 * @param model the name to send upstream; empty leaves the choice to the backend
 */
public record Route(OpenAiBackend backend, Admission admission, String model) {}
