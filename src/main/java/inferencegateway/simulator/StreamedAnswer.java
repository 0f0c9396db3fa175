package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An answer as a stream of events. */
final class StreamedAnswer implements AnswerSink {

  static final String CONTENT_TYPE = "text/event-stream; charset=utf-8";

  private static final int BURST = 32;
  private static final List<String> NULL_DELTAS =
      List.of(
          "null",
          "{}",
          "{\"content\":null}",
          "{\"content\":\"\"}",
          "{\"role\":null,\"content\":null,\"tool_calls\":null}");

  private final Reply reply;
  private final AnswerPlan plan;
  private final AnswerJson json;
  private final FaultSpec spec;
  private final EventStyle style;
  private final int promptTokens;
  private final boolean usageAtEnd;
  private final boolean usageAlways;
  private final boolean finishWithLast;
  private final boolean stamping;
  private final Event content;
  private final Event reasoning;
  private boolean opened;
  private boolean started;

  StreamedAnswer(Reply reply, AnswerPlan plan, ChatAsk ask, AnswerJson json, FaultSpec spec) {
    this.reply = reply;
    this.plan = plan;
    this.json = json;
    this.spec = spec;
    this.style = new EventStyle(spec);
    this.promptTokens = ask.promptTokens();
    boolean usageWanted = !spec.has(Fault.USAGE_NONE);
    this.usageAtEnd = ask.includeUsage() && usageWanted;
    this.usageAlways = (ask.continuousUsage() || spec.has(Fault.CONTINUOUS_USAGE)) && usageWanted;
    this.finishWithLast = Finish.isWithLast(plan, spec);
    this.stamping = spec.has(Fault.STAMP);
    this.content = tokenEvent(false, Finish.NOT_YET, null);
    this.reasoning = plan.reasoningTokens() > 0 ? tokenEvent(true, Finish.NOT_YET, null) : content;
  }

  private Event tokenEvent(boolean isReasoning, String finish, @Nullable Usage usage) {
    AnswerJson.Around around = json.tokens(isReasoning, finish, usage);
    return style.around(around.before(), around.after());
  }

  @Override
  public void accepted() {
    // As vLLM: the head leaves before the first token is known, even before there is a slot.
    if (!spec.has(Fault.LATE_HEADERS) && !spec.has(Fault.STALL_BEFORE_HEADERS)) {
      open();
    }
  }

  private void open() {
    if (opened) {
      return;
    }
    opened = true;
    if (spec.has(Fault.SHORT_CONTENT_LENGTH)) {
      reply.openWithFalseLength(CONTENT_TYPE);
    } else {
      reply.open(CONTENT_TYPE);
    }
  }

  @Override
  public boolean takesMore() {
    return reply.takesMore();
  }

  @Override
  public int burst() {
    return BURST;
  }

  @Override
  public void tokens(int from, int to) {
    start();
    int border = Math.min(Math.max(plan.reasoningTokens(), from), to);
    if (from < border) {
      chunk(true, from, border);
    }
    if (border < to) {
      chunk(false, border, to);
    }
  }

  private void chunk(boolean isReasoning, int from, int to) {
    boolean last = finishWithLast && to == plan.tokens().size();
    Event event = isReasoning ? reasoning : content;
    if (last || usageAlways) {
      event =
          tokenEvent(
              isReasoning, last ? Finish.keys(plan, spec) : Finish.NOT_YET, usage(usageAlways, to));
    }
    List<Token> texts = stamping ? stamps(to - from) : plan.tokens().subList(from, to);
    reply.piece(event, texts);
  }

  /** On one host this clock is the same in every process, so that a reader can tell the delay. */
  private static List<Token> stamps(int count) {
    String text = " " + System.nanoTime();
    return Collections.nCopies(count, Token.raw(text, text.getBytes(US_ASCII)));
  }

  /** What comes before the first token. */
  private void start() {
    if (started) {
      return;
    }
    started = true;
    open();
    if (spec.has(Fault.BOM)) {
      reply.piece(Event.of("\ufeff".getBytes(UTF_8)), List.of());
    }
    int roles = spec.has(Fault.NO_ROLE) ? 0 : spec.has(Fault.ROLE_ONLY) ? 3 : 1;
    for (int i = 0; i < roles; i++) {
      data(
          json.delta(
              "{\"role\":\"assistant\",\"content\":\"\"}", Finish.NOT_YET, usage(usageAlways, 0)));
    }
    nullDeltas();
  }

  private void nullDeltas() {
    if (spec.has(Fault.NULL_DELTAS)) {
      NULL_DELTAS.forEach(delta -> data(json.delta(delta, Finish.NOT_YET, null)));
      data(json.noChoices(null));
    }
  }

  @Override
  public void finish() {
    start();
    nullDeltas();
    if (!finishWithLast || plan.tokens().isEmpty()) {
      data(
          json.delta(
              "{\"content\":\"\"}",
              Finish.keys(plan, spec),
              usage(usageAlways, plan.tokens().size())));
    }
    if (usageAtEnd) {
      data(json.noChoices(usage(true, plan.tokens().size())));
    }
    if (!spec.has(Fault.NO_DONE)) {
      data("[DONE]");
    }
    reply.close();
  }

  private @Nullable Usage usage(boolean wanted, int completion) {
    return wanted ? new Usage(promptTokens, completion) : null;
  }

  private void data(String data) {
    reply.piece(style.whole(data), List.of());
  }

  @Override
  public void cut(Cut.Kind kind, int written) {
    if (kind == Cut.Kind.STALL) {
      return;
    }
    open();
    switch (kind) {
      case RESET -> reply.reset();
      case END_OF_BODY -> reply.close();
      case ERROR_EVENT -> {
        data(error());
        data("[DONE]");
        reply.close();
      }
      case BAD_CHUNK -> reply.badChunk();
      case SHORT_BODY -> reply.hangUp();
      case STALL -> {}
    }
  }

  private String error() {
    return ErrorAnswer.body(
        spec.text(Fault.ERROR_CODE, "500"),
        spec.text(Fault.ERROR_TYPE, "InternalServerError"),
        spec.text(Fault.ERROR_MESSAGE, "Internal server error"),
        null);
  }
}
