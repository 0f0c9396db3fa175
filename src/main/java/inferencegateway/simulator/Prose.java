package inferencegateway.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sentences cut into tokens the way a model's vocabulary cuts them: words carry their leading
 * space, long words fall apart, full stops stand alone; Chinese comes one or two characters at a
 * time.
 */
final class Prose {

  static final Prose ENGLISH =
      new Prose(
          " ?[A-Za-z']{1,9}|.",
          " ",
          "A gateway keeps many small promises at once.",
          "First it reads the request, and only then does it look for a free slot.",
          "Each token arrives on its own, a few milliseconds after the one before it.",
          "When the caller leaves, the work stops, because nobody is listening any more.",
          "That is cheaper than finishing an answer which no one will ever read.",
          "A queue is honest about waiting: it has a length, and the length has a limit.",
          "Time to first token depends mostly on the prompt and on whoever came earlier.",
          "The rest of the answer moves at the steady pace of the decoder.",
          "Suppose that the network is slow for a moment.",
          "Then the text gathers in a buffer, and it is sent together once there is room.",
          "Nothing is lost, nothing is repeated, and the order stays what it was.",
          "Errors deserve the same care as answers.",
          "A good one says what happened, who should act, and whether trying again could help.",
          "It is short, and it never repeats a secret.",
          "Measure before you tune, and measure again afterwards.",
          "Most surprises hide in the slowest one percent of the calls.",
          "In short, the simple design wins when it can be explained on a single page.",
          "Of course, there are exceptions, and they are worth writing down.",
          "A deadline travels with the call, so every hop knows how much time is left.",
          "Once it has passed, even a perfect answer is worth nothing.");

  static final Prose CHINESE =
      new Prose(
          "\\p{IsHan}{1,2}|.",
          "",
          "网关同时守住许多小小的承诺。",
          "它先读完请求，然后才去寻找空闲的位置。",
          "每个词元单独到达，彼此相隔几毫秒。",
          "调用者离开以后，计算立即停止，因为已经没有人在听。",
          "排队是诚实的等待：队伍有长度，长度有上限。",
          "首个词元的时间主要取决于提示词的长短。",
          "其余的内容按照解码器稳定的节奏送出。",
          "如果网络暂时变慢，文字会先留在缓冲区里，等到有空间再一起发送。",
          "什么都不会丢失，什么都不会重复，顺序也保持不变。",
          "错误和答案一样值得认真对待。",
          "先测量，再调优，然后再测量一次。",
          "总之，简单的设计往往更可靠。");

  private final List<List<Token>> sentences = new ArrayList<>();
  private final List<List<Token>> openings = new ArrayList<>();

  private Prose(String tokenShape, String between, String... texts) {
    Pattern shape = Pattern.compile(tokenShape);
    for (String text : texts) {
      openings.add(cut(shape, text));
      sentences.add(cut(shape, between + text));
    }
  }

  private static List<Token> cut(Pattern shape, String text) {
    List<Token> tokens = new ArrayList<>();
    Matcher match = shape.matcher(text);
    while (match.find()) {
      tokens.add(Token.of(match.group()));
    }
    return List.copyOf(tokens);
  }

  static Prose answering(String prompt) {
    long han = prompt.codePoints().filter(Prose::isHan).count();
    long letters = prompt.codePoints().filter(Character::isLetter).count();
    return han * 2 > letters ? CHINESE : ENGLISH;
  }

  static boolean isHan(int codePoint) {
    return codePoint >= 0x2e80
        && Character.UnicodeScript.of(codePoint) == Character.UnicodeScript.HAN;
  }

  /** Whole sentences, at least as many tokens as asked for; the same for the same random. */
  List<Token> write(int atLeast, SplittableRandom random) {
    List<Token> tokens = new ArrayList<>(atLeast + 24);
    int last = random.nextInt(openings.size());
    tokens.addAll(openings.get(last));
    while (tokens.size() < atLeast) {
      // Never the same sentence twice running.
      last = (last + 1 + random.nextInt(sentences.size() - 1)) % sentences.size();
      tokens.addAll(sentences.get(last));
    }
    return tokens;
  }
}
