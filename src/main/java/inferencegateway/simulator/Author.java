package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Thinks up answers. The same seed and prompt give the same one. Thread-safe. */
final class Author {

  private static final int SHORTEST = 40;
  private static final int LONGEST = 120;
  private static final int BIG_TOKEN_BYTES = 16_384;

  private final SimulatorConfig config;
  private final AtomicLong unseeded = new AtomicLong(System.nanoTime());

  Author(SimulatorConfig config) {
    this.config = config;
  }

  AnswerPlan plan(ChatAsk ask, FaultSpec spec) {
    long seed = ask.seed().isPresent() ? mix(ask) : unseeded.incrementAndGet();
    Spoken spoken = spoken(ask, spec, seed);
    SplittableRandom random = new SplittableRandom(seed);
    int room =
        spoken.tokens()
            + Math.min(
                ask.maxTokens().orElse(Integer.MAX_VALUE),
                config.maxModelLen() - ask.promptTokens());
    int wanted = length(ask, room, spoken.tokens(), random);
    List<Token> text = Prose.answering(ask.prompt()).write(Math.min(wanted, room), random);
    boolean exact = ask.ignoreEos() || config.answerTokens() > 0;
    int natural = exact ? wanted : Math.max(wanted, text.size());
    boolean cut = ask.ignoreEos() || natural > room;
    int end = Math.min(natural, room);
    List<Token> rest = spoken.after(withOddTokens(text.subList(0, end), spec));
    return bent(stopped(rest, cut, ask), spec);
  }

  /** How much of the same answer, unbroken, the request begins with. */
  private Spoken spoken(ChatAsk ask, FaultSpec spec, long seed) {
    if (ask.beginning().isEmpty()) {
      return Spoken.NOTHING;
    }
    SplittableRandom random = new SplittableRandom(seed);
    int enough = ask.beginning().length();
    int least = Math.max(enough, length(ask, enough, 0, random)); // Draws as the answer will.
    List<Token> text = Prose.answering(ask.prompt()).write(least, random);
    return Spoken.of(ask.beginning(), withOddTokens(text, spec));
  }

  private static long mix(ChatAsk ask) {
    return ask.seed().getAsLong() * 0x9E3779B97F4A7C15L + ask.prompt().hashCode();
  }

  private int length(ChatAsk ask, int room, int spoken, SplittableRandom random) {
    if (ask.ignoreEos()) {
      return room;
    }
    int natural = config.answerTokens();
    int length = natural > 0 ? natural : random.nextInt(SHORTEST, LONGEST + 1);
    return Math.max(length, spoken + ask.minTokens());
  }

  /** Ends the text before the first stop string; the string itself is left out, as vLLM does. */
  private static AnswerPlan stopped(List<Token> tokens, boolean cut, ChatAsk ask) {
    List<Token> kept = new ArrayList<>(tokens);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < tokens.size() && !ask.stop().isEmpty(); i++) {
      int before = text.length();
      text.append(tokens.get(i).text());
      for (String word : ask.stop()) {
        int at = text.indexOf(word, Math.max(0, before - word.length() + 1));
        if (at >= 0 && i + 1 > ask.minTokens()) {
          return new AnswerPlan(upTo(kept, at), 0, "stop", word);
        }
      }
    }
    return new AnswerPlan(kept, 0, cut ? "length" : "stop", null);
  }

  private static List<Token> upTo(List<Token> tokens, int characters) {
    List<Token> kept = new ArrayList<>();
    int room = characters;
    for (Token token : tokens) {
      if (token.text().length() > room) {
        if (room > 0) {
          kept.add(Token.of(token.text().substring(0, room)));
        }
        return kept;
      }
      kept.add(token);
      room -= token.text().length();
    }
    return kept;
  }

  private static List<Token> withOddTokens(List<Token> text, FaultSpec spec) {
    List<Token> tokens = new ArrayList<>(text);
    int middle = Math.min(1, tokens.size());
    oddTokens(spec).forEach(token -> tokens.add(middle, token));
    return tokens;
  }

  /** With the other faults that lie in the text itself. */
  private static AnswerPlan bent(AnswerPlan plan, FaultSpec spec) {
    if (spec.isEmpty()) {
      return plan;
    }
    List<Token> tokens = new ArrayList<>(plan.tokens());
    if (spec.has(Fault.ODD_JSON)) {
      tokens.replaceAll(t -> Token.raw(t.text(), Json.escapeAll(t.text()).getBytes(UTF_8)));
    }
    if (spec.has(Fault.BIG_ANSWER)) {
      tokens.clear();
      for (int left = spec.number(Fault.BIG_ANSWER, 0); left > 0; left -= BIG_TOKEN_BYTES) {
        tokens.add(filler(Math.min(left, BIG_TOKEN_BYTES)));
      }
    }
    int reasoning = spec.number(Fault.REASONING, spec.number(Fault.REASONING_CONTENT, 0));
    return new AnswerPlan(
        tokens, Math.min(reasoning, tokens.size()), plan.finish(), plan.stopReason());
  }

  /** In reverse, since each is put in front of the one before. */
  private static List<Token> oddTokens(FaultSpec spec) {
    List<Token> odd = new ArrayList<>();
    if (spec.has(Fault.HUGE_LINE)) {
      odd.add(filler(spec.number(Fault.HUGE_LINE, 1)));
    }
    if (spec.has(Fault.INVALID_UTF8)) {
      // A lead byte without its follower, a byte that never occurs, and a cut three-byte sequence.
      odd.add(
          Token.raw(
              "\ufffd(\ufffd\ufffd",
              new byte[] {(byte) 0xc3, '(', (byte) 0xff, (byte) 0xe4, (byte) 0xbd}));
    }
    if (spec.has(Fault.LONE_SURROGATE)) {
      odd.add(Token.raw("\ufffd", "\\ud83d".getBytes(UTF_8)));
    }
    if (spec.has(Fault.SURROGATES)) {
      odd.add(Token.raw("\ude00", "\\ude00".getBytes(UTF_8)));
      odd.add(Token.raw("\ud83d", "\\ud83d".getBytes(UTF_8)));
    }
    return odd;
  }

  private static Token filler(int bytes) {
    byte[] text = new byte[bytes];
    Arrays.fill(text, (byte) 'a');
    return Token.raw(new String(text, UTF_8), text);
  }
}
