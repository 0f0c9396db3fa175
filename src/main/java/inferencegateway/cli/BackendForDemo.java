package inferencegateway.cli;

import java.io.IOException;

/** The backend that {@code demo} brings along; running already. */
public interface BackendForDemo extends AutoCloseable {

  /** As the setting {@code backend} takes it: {@code http://127.0.0.1:34567/v1}. */
  String baseUrl();

  @Override
  void close();

  /** Starts one. */
  interface Starter {
    BackendForDemo start() throws IOException;
  }
}
