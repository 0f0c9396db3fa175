package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Readers wait here. All who wait are served from one look at the metrics, and then comes a rest of
 * a multiple of the time that it took: however many read, and however fast, most of the processor
 * is left for calls. Nobody gets what was looked at before it asked.
 *
 * <p>Thread: the port's.
 */
final class ReadingLine {

  private static final Logger LOG = LoggerFactory.getLogger(ReadingLine.class);

  private static final int REST = 9;
  private static final long LONGEST_REST = TimeUnit.MILLISECONDS.toNanos(200);

  private final Page page;
  private List<Reader> waiting = new ArrayList<>();
  private boolean scheduled;
  private long restUntil = System.nanoTime();

  ReadingLine(Page page) {
    this.page = page;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // with the loop everything ends
  void join(Reader reader, EventLoop loop) {
    waiting.add(reader);
    if (!scheduled) {
      scheduled = true;
      long rest = Math.max(0, restUntil - System.nanoTime());
      loop.schedule(this::serve, rest, TimeUnit.NANOSECONDS);
    }
  }

  private void serve() {
    scheduled = false;
    List<Reader> all = waiting;
    waiting = new ArrayList<>();
    long began = System.nanoTime();
    try (Copies copies = new Copies(page.read())) {
      all.forEach(reader -> reader.serve(copies));
    } catch (RuntimeException e) {
      LOG.error("The page of metrics could not be made", e);
      all.forEach(Reader::close);
    }
    long now = System.nanoTime();
    restUntil = now + Math.min(LONGEST_REST, REST * (now - began));
  }

  /** One moment in the forms that readers ask for, each made once and held once. */
  static final class Copies implements AutoCloseable {

    /**
     * @param type the {@code Content-Type}
     * @param bytes to be released by whoever gets it
     */
    record Copy(String type, ByteBuf bytes) {}

    private record Form(Page.Content content, boolean zipped) {
      @Override
      @SuppressWarnings("ReferenceEquality") // each content is made once, and is long
      public boolean equals(Object other) {
        return other instanceof Form form && form.content == content && form.zipped == zipped;
      }

      @Override
      public int hashCode() {
        return System.identityHashCode(content) + (zipped ? 1 : 0);
      }
    }

    private final Page.Moment moment;
    private final Map<Form, ByteBuf> made = new HashMap<>();

    Copies(Page.Moment moment) {
      this.moment = moment;
    }

    Copy copy(String accept, boolean zipped) {
      Page.Content content = moment.as(accept);
      ByteBuf bytes = made.computeIfAbsent(new Form(content, zipped), Copies::bytes);
      return new Copy(content.type(), bytes.retainedDuplicate());
    }

    /** Outside of the heap: the connections would each make such a copy. */
    private static ByteBuf bytes(Form form) {
      byte[] bytes = form.zipped ? zipped(form.content.bytes()) : form.content.bytes();
      return Unpooled.directBuffer(bytes.length).writeBytes(bytes);
    }

    private static byte[] zipped(byte[] bytes) {
      ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 8);
      try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
        zip.write(bytes);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
      return out.toByteArray();
    }

    @Override
    public void close() {
      made.values().forEach(ByteBuf::release);
    }
  }
}
