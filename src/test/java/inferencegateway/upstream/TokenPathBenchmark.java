package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Role;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.http.SseFramer;
import inferencegateway.proto.llm.v1.TokenChunk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What is computed for one token and for one request, without sockets. No test; to run it:
 *
 * <pre>
 *   mvn -q test-compile dependency:build-classpath -Dmdep.outputFile=target/classpath
 *   java -cp target/test-classes:target/classes:$(cat target/classpath) org.openjdk.jmh.Main -prof gc TokenPath
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TokenPathBenchmark {

  private static final byte[] EVENT =
      ("data: {\"id\":\"chatcmpl-4f0b1c9d8e7a65432100fedcba987654\",\"object\":\"chat.completion.chunk\","
              + "\"created\":1764537600,\"model\":\"meta-llama/Llama-3.1-8B-Instruct\",\"choices\":[{"
              + "\"index\":0,\"delta\":{\"content\":\" gateway\"},\"logprobs\":null,"
              + "\"finish_reason\":null}]}\n\n")
          .getBytes(UTF_8);

  /** Not final, or the compiler would build the message once and for all. */
  private String token = " gateway";

  private final ChunkDecoder decoder = new ChunkDecoder();
  private final Decoding decoding = new Decoding();
  private final SseFramer framer = new SseFramer(1 << 20, decoding);
  private final ChatRequest request =
      new ChatRequest(
          "meta-llama/Llama-3.1-8B-Instruct",
          List.of(
              new ChatMessage(Role.SYSTEM, "You are brief."),
              new ChatMessage(Role.USER, "Why is the sky blue? ".repeat(10))),
          128,
          Sampling.UNSET,
          Stopping.UNSET,
          TimeLimits.UNSET);

  private final class Decoding implements SseFramer.Sink {
    private String text = "";

    @Override
    public void onEvent(byte[] data, int offset, int length) {
      try {
        text = decoder.decode(data, offset, length).text;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void onTooLarge() {
      throw new IllegalStateException();
    }
  }

  /** From an event's bytes to a token's text. */
  @Benchmark
  public String frameAndDecode() {
    framer.feed(EVENT, 0, EVENT.length);
    return decoding.text;
  }

  /** From a token's text to the bytes of the caller's message. */
  @Benchmark
  public byte[] buildMessage() {
    return TokenChunk.newBuilder().setToken(token).build().toByteArray();
  }

  /** From a request to the body that the backend reads. */
  @Benchmark
  public byte[] writeBody() {
    return ChatBody.write(request, true);
  }
}
