package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** L11: files are followed by what is in them. */
final class WatchTest {

  private static final Duration SOON = Duration.ofSeconds(5);

  @TempDir private Path folder;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger().detachAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(Watch.class);
  }

  /** Notes every content that it is told to read; refuses those that begin with "bad". */
  private static final class Reader implements Reloadable {
    final LinkedBlockingQueue<String> read = new LinkedBlockingQueue<>();
    private final Path file;

    Reader(Path file) {
      this.file = file;
    }

    @Override
    public List<Path> files() {
      return List.of(file);
    }

    @Override
    public void reload() throws IOException {
      String content = Files.readString(file);
      read.add(content);
      if (content.startsWith("bad")) {
        throw new IOException("refused");
      }
      if (content.startsWith("bug")) {
        throw new IllegalStateException("broken");
      }
    }

    String next() throws InterruptedException {
      return String.valueOf(read.poll(SOON.toSeconds(), TimeUnit.SECONDS));
    }
  }

  private static Watch watching(Reader reader, Duration interval) {
    Watch watch = new Watch(interval);
    watch.add(reader);
    watch.start();
    return watch;
  }

  private void write(String content) throws IOException {
    Path next = Files.writeString(folder.resolve("next"), content);
    Files.move(next, folder.resolve("file"), StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void everyContentIsTriedOnce() throws Exception {
    write("one");
    Reader reader = new Reader(folder.resolve("file"));
    try (Watch watch = watching(reader, Duration.ofMillis(2))) {
      assertEquals("one", reader.next(), "nobody knows what was read at the start");
      write("two");
      assertEquals("two", reader.next());
      write("bad");
      assertEquals("bad", reader.next());
      Files.setLastModifiedTime(folder.resolve("file"), FileTime.fromMillis(1));
      write("bad");
      write("bug");
      assertEquals("bug", reader.next());
      write("two");
      assertEquals("two", reader.next());
      assertEquals(0, reader.read.size());
    }
    List<String> lines = log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertEquals(4, lines.size(), lines::toString);
    assertTrue(lines.get(0).startsWith("reloaded ["), lines::toString);
    assertEquals("not reloaded, the old stays: refused", lines.get(1));
    assertTrue(lines.get(3).startsWith("reloaded ["), lines::toString);
  }

  @Test
  void linksAreFollowedAsKubernetesSwapsThem() throws Exception {
    Path first = Files.createDirectory(folder.resolve("..1"));
    Files.writeString(first.resolve("file"), "one");
    Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    Path seen = Files.createSymbolicLink(folder.resolve("seen"), Path.of("..data/file"));
    Reader reader = new Reader(seen);
    try (Watch watch = watching(reader, Duration.ofMillis(2))) {
      assertEquals("one", reader.next());
      Path second = Files.createDirectory(folder.resolve("..2"));
      Files.writeString(second.resolve("file"), "two");
      Path swap = Files.createSymbolicLink(folder.resolve("..swap"), Path.of("..2"));
      Files.move(swap, data, StandardCopyOption.ATOMIC_MOVE);
      assertEquals("two", reader.next());
    }
  }

  @Test
  void fileThatIsGoneForAMomentIsReadWhenItIsBack() throws Exception {
    write("one");
    Reader reader = new Reader(folder.resolve("file"));
    try (Watch watch = watching(reader, Duration.ofMillis(2))) {
      assertEquals("one", reader.next());
      Files.delete(folder.resolve("file"));
      Eventually.within(SOON).assertThat("told", () -> log.list.size() == 1);
      write("two");
      assertEquals("two", reader.next());
    }
  }

  @Test
  void whoAsksGetsItReadChangedOrNot() throws Exception {
    write("bad");
    Reader reader = new Reader(folder.resolve("file"));
    try (Watch watch = watching(reader, Duration.ZERO)) {
      watch.lookNow();
      assertEquals("bad", reader.next());
      watch.lookNow();
      assertEquals("bad", reader.next());
      Eventually.within(SOON).assertThat("told each time", () -> log.list.size() == 2);
    }
  }

  @Test
  void nothingToFollowNeedsNoThread() {
    try (Watch watch = new Watch(Duration.ofMillis(1))) {
      watch.add(ApiKey.NONE);
      watch.start();
      watch.lookNow();
    }
    assertTrue(
        Thread.getAllStackTraces().keySet().stream().noneMatch(t -> t.getName().equals("reload")));
  }
}
