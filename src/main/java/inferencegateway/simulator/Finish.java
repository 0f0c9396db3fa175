package inferencegateway.simulator;

/** The finish keys of one answer's last chunk, as its faults want them. */
final class Finish {

  /** Keys of a chunk that is not the last. */
  static final String NOT_YET = AnswerJson.finish(null, null);

  private Finish() {}

  static String keys(AnswerPlan plan, FaultSpec spec) {
    if (spec.has(Fault.NO_FINISH)) {
      return "";
    }
    if (spec.has(Fault.NULL_FINISH)) {
      return NOT_YET;
    }
    if (spec.has(Fault.EMPTY_FINISH)) {
      return AnswerJson.finish("", null);
    }
    return AnswerJson.finish(spec.text(Fault.FINISH, plan.finish()), plan.stopReason());
  }

  /**
   * Whether the last token carries it. As vLLM: it does when the length cuts the answer, and an
   * answer that stops by itself has an empty chunk for it.
   */
  static boolean isWithLast(AnswerPlan plan, FaultSpec spec) {
    return spec.has(Fault.FINISH_WITH_LAST)
        || (plan.isCutByLength() && !spec.has(Fault.FINISH_ALONE));
  }
}
