package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;

/** One response's bytes, with the faults that lie in HTTP. On the connection's loop. */
@SuppressWarnings(
    "FutureReturnValueIgnored") // The channel tells of failed writes by its own events.
final class Reply {

  /** A length that no short body reaches. */
  private static final int FALSE_LENGTH = 16_777_216;

  private final Connection connection;
  private final Channel channel;
  private final FaultSpec spec;
  private final boolean http11;
  private final boolean keepAlive;
  private boolean chunked;

  Reply(Connection connection, HttpAsk ask, FaultSpec spec) {
    this.connection = connection;
    this.channel = connection.channel();
    this.spec = spec;
    this.http11 = ask.isHttp11() && !spec.has(Fault.HTTP10);
    this.keepAlive = http11 && ask.wantsKeepAlive() && !spec.has(Fault.CONNECTION_CLOSE);
  }

  boolean takesMore() {
    return channel.isWritable();
  }

  void answer(ErrorAnswer answer) {
    whole(answer.status(), answer.contentType(), answer.body(), answer.headers());
  }

  void json(String body) {
    whole(200, "application/json", body, List.of());
  }

  void whole(int status, String contentType, String body, List<String> more) {
    byte[] bytes = body.getBytes(UTF_8);
    whole(status, contentType, Unpooled.wrappedBuffer(bytes), more);
  }

  /** A complete response; takes over the body. */
  void whole(int status, String contentType, ByteBuf body, List<String> more) {
    List<String> headers = new ArrayList<>(more);
    headers.add("content-length: " + body.readableBytes());
    headers.add("content-type: " + contentType);
    ByteBuf head = head(status, headers);
    send(Unpooled.wrappedBuffer(head, body));
    end();
  }

  /** The head of a body that comes in pieces. */
  void open(String contentType) {
    chunked = http11;
    List<String> headers = new ArrayList<>();
    headers.add("content-type: " + contentType);
    if (chunked) {
      headers.add("transfer-encoding: chunked");
    }
    send(head(200, headers));
  }

  /** The head of a body that will end too soon. */
  void openWithLength(String contentType, int length) {
    send(head(200, List.of("content-type: " + contentType, "content-length: " + length)));
  }

  void openWithFalseLength(String contentType) {
    openWithLength(contentType, FALSE_LENGTH);
  }

  private ByteBuf head(int status, List<String> headers) {
    List<String> all = new ArrayList<>(headers);
    if (!keepAlive) {
      all.add("connection: close");
    }
    byte[] early = early();
    byte[] head = Http1.head(http11 ? "HTTP/1.1" : "HTTP/1.0", status, all);
    return Unpooled.wrappedBuffer(early, head);
  }

  private byte[] early() {
    String lines = "";
    if (spec.has(Fault.CONTINUE_100)) {
      lines += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    if (spec.has(Fault.EARLY_HINTS_103)) {
      lines += "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n";
    }
    return lines.getBytes(UTF_8);
  }

  /** One piece of the body. */
  void piece(Event event, List<Token> tokens) {
    send(event.write(channel.alloc(), tokens, chunked));
  }

  /** The body is complete. */
  void close() {
    if (chunked) {
      send(Unpooled.wrappedBuffer(Http1.LAST_CHUNK));
    }
    end();
  }

  private void end() {
    if (spec.has(Fault.TRAILING_GARBAGE)) {
      send(Unpooled.copiedBuffer("garbage behind the answer\r\n", UTF_8));
    }
    connection.answered(keepAlive, spec);
  }

  /**
   * A chunk size that is none; the connection stays open, so that it is the client's to give up.
   */
  void badChunk() {
    send(Unpooled.copiedBuffer("xyz\r\nno chunk\r\n", UTF_8));
    connection.abandoned(Connection.Goodbye.LATER);
  }

  /** Closes in an orderly way before the response is complete. */
  void hangUp() {
    connection.abandoned(Connection.Goodbye.CLOSE);
  }

  /** Resets, once what was written has had time to arrive. */
  void reset() {
    connection.abandoned(Connection.Goodbye.RESET);
  }

  /** Writes and flushes; takes over the buffer. */
  void send(ByteBuf bytes) {
    int size = spec.number(Fault.SPLIT, 0);
    if (size == 0) {
      channel.writeAndFlush(bytes, channel.voidPromise());
      return;
    }
    while (bytes.readableBytes() > size) {
      channel.writeAndFlush(bytes.readRetainedSlice(size), channel.voidPromise());
    }
    channel.writeAndFlush(bytes, channel.voidPromise());
  }
}
