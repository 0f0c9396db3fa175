package inferencegateway.upstream;

import inferencegateway.http.HttpFault;

/** Makes sense of the body of one response and ends its call. On the call's loop. */
interface BodyReader {

  /** The array is reused after the return. */
  void onBytes(byte[] bytes, int offset, int length);

  /** The body is complete. */
  void onEnd();

  /** The rest of the body will not come. */
  void onCut(HttpFault fault);
}
