package inferencegateway.upstream;

import inferencegateway.http.CallLoop;
import inferencegateway.http.Exchange;
import inferencegateway.http.HttpRequest;
import inferencegateway.http.ResponseHandler;

/** Carries requests to one backend. {@code HttpClient::send} is one. */
@FunctionalInterface
public interface Transport {

  /** Called on {@code loop}; the handler is called on it too. */
  Exchange send(CallLoop loop, HttpRequest request, ResponseHandler handler);
}
