package inferencegateway.simulator;

import java.util.concurrent.atomic.LongAdder;

/** What has happened since the start. Written from every loop. */
final class Tally {

  final LongAdder promptTokens = new LongAdder();
  final LongAdder generationTokens = new LongAdder();
  final LongAdder stopped = new LongAdder();
  final LongAdder cutByLength = new LongAdder();
  final LongAdder aborted = new LongAdder();
  final LongAdder faulted = new LongAdder();
  final LongAdder disconnected = new LongAdder();
  final LongAdder connections = new LongAdder();

  void finished(AnswerPlan plan) {
    (plan.isCutByLength() ? cutByLength : stopped).increment();
  }
}
