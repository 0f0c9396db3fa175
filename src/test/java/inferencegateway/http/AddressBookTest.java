package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AddressBookTest {
  private static final SocketAddress ONE = InetSocketAddress.createUnresolved("one", 1);
  private static final SocketAddress TWO = InetSocketAddress.createUnresolved("two", 2);
  private static final Duration SHORT = Duration.ofMillis(1);

  private volatile List<SocketAddress> answer = List.of(ONE);
  private final AtomicInteger asked = new AtomicInteger();

  private List<SocketAddress> resolve() throws UnknownHostException {
    asked.incrementAndGet();
    if (answer.isEmpty()) {
      throw new UnknownHostException("backend.test");
    }
    return answer;
  }

  private static List<SocketAddress> look(AddressBook book) throws Exception {
    return book.lookup().get(5, TimeUnit.SECONDS);
  }

  private static boolean knows(AddressBook book, SocketAddress address) {
    return book.contains(address);
  }

  @Test
  void changedAnswerIsTakenUpInTheBackground() throws Exception {
    try (AddressBook book = AddressBook.resolving(this::resolve, SHORT)) {
      assertEquals(List.of(ONE), look(book));
      answer = List.of(TWO);
      eventually("changed", () -> knows(book, TWO));
      assertFalse(book.contains(ONE));
      assertEquals(List.of(TWO), look(book));
    }
  }

  @Test
  void failedRefreshKeepsTheLastGoodAnswer() throws Exception {
    try (AddressBook book = AddressBook.resolving(this::resolve, SHORT)) {
      assertEquals(List.of(ONE), look(book));
      answer = List.of();
      int before = asked.get();
      eventually("asked again", () -> knows(book, ONE) && asked.get() > before + 1);
      assertEquals(List.of(ONE), look(book));
    }
  }

  @Test
  void nameThatNeverResolvedIsAskedForAgain() throws Exception {
    answer = List.of();
    try (AddressBook book = AddressBook.resolving(this::resolve, AddressBook.TTL)) {
      assertThrows(ExecutionException.class, () -> look(book));
      answer = List.of(ONE);
      assertEquals(List.of(ONE), look(book));
      assertEquals(2, asked.get());
    }
  }

  @Test
  void addressThatWorkedIsTriedFirst() throws Exception {
    AddressBook book = AddressBook.fixed(List.of(ONE, TWO));
    assertEquals(List.of(ONE, TWO), look(book));
    book.worked(TWO);
    assertEquals(List.of(TWO, ONE), look(book));
    assertTrue(book.contains(ONE));
  }

  @Test
  void closedBookFailsAtOnce() throws Exception {
    AddressBook book = AddressBook.resolving(this::resolve, SHORT);
    book.close();
    assertThrows(ExecutionException.class, () -> look(book));
  }
}
