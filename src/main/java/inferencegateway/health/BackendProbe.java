package inferencegateway.health;

import inferencegateway.upstream.ProbeAnswer;
import java.time.Duration;
import java.util.function.Consumer;

/** Asks the backend once whether it would answer. */
public interface BackendProbe {

  /**
   * Starts one probe. Called on the prober's thread, one at a time; may take its time there.
   *
   * @param timeout longest wait for the answer
   * @param whenDone called at most once, from any thread
   */
  void probe(Duration timeout, Consumer<ProbeAnswer> whenDone);
}
