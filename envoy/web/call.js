// A gRPC-Web call that streams, with what browsers have: fetch, and 60 lines for frames and protobuf. No build, no packages.
//
// Why not the package grpc-web: for streams it asks for base64 (application/grpc-web-text) and keeps the whole answer in memory, since
// XMLHttpRequest cannot do otherwise, and its stubs need protoc and a plug-in. For more than these few fields take generated stubs
// that use fetch as well: @connectrpc/connect-web with @bufbuild/protoc-gen-es, and createGrpcWebTransport.

// Numbers of proto/llm.proto. A test holds them against it.
export const FIELDS = {
  CompleteRequest: { model: 1, messages: 2, max_tokens: 3 },
  Message: { role: 1, content: 2 },
  TokenChunk: { token: 1, done: 2 },
};

/**
 * Yields the answer's pieces of text as they come. Throws CallFailed unless the call ended OK. `signal` cancels: the gateway hears of it and
 * the GPU stops. The deadline is kept by all: this page, Envoy, the gateway.
 */
export async function* completeStream({ gateway, prompt, maxTokens = 256, timeoutMs = 60_000, signal, requestId = crypto.randomUUID?.() }) {
  const clock = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, clock]) : clock;
  try {
    const response = await fetch(`${gateway}/llm.v1.LLMService/CompleteStream`, {
      method: "POST",
      headers: {
        "content-type": "application/grpc-web+proto",
        "x-grpc-web": "1",
        "grpc-timeout": `${timeoutMs}m`,
        ...(requestId && { "x-request-id": requestId }),
      },
      body: frame(completeRequest(prompt, maxTokens)),
      signal: either,
    });
    // A call that fails before its first token has its status among the headers (CORS: expose_headers).
    if (response.headers.has("grpc-status")) return check(response.headers);
    if (!response.ok) throw new CallFailed(14, `HTTP ${response.status}`);
    for await (const { trailers, message } of frames(response.body)) {
      if (trailers) return check(trailers);
      const token = tokenOf(message);
      if (token) yield token;
    }
    // Without trailers it was cut somewhere on the way, however much has come.
    throw new CallFailed(14, "the answer broke off");
  } catch (failure) {
    if (clock.aborted && !(failure instanceof CallFailed)) throw new CallFailed(4, "the deadline has passed");
    if (signal?.aborted && !(failure instanceof CallFailed)) throw new CallFailed(1, "cancelled");
    throw failure;
  }
}

/** `code` is gRPC's; `safe`: the gateway says that the call may be repeated. */
export class CallFailed extends Error {
  constructor(code, message, safe = false) {
    super(message);
    Object.assign(this, { code, safe });
  }
}

function check(headers) {
  const code = Number(headers.get("grpc-status") ?? 2);
  if (code) throw new CallFailed(code, decodeURIComponent(headers.get("grpc-message") ?? ""), headers.get("x-gateway-retry") === "safe");
}

// --- frames: a byte of flags (128: trailers), four of length, and so many bytes; they come cut anywhere

function frame(message) {
  const bytes = new Uint8Array(5 + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, 5);
  return bytes;
}

async function* frames(body) {
  const reader = body.getReader();
  try {
    let held = new Uint8Array(0);
    for (;;) {
      while (held.length >= 5) {
        const end = 5 + new DataView(held.buffer, held.byteOffset).getUint32(1);
        if (held.length < end) break;
        const content = held.subarray(5, end);
        yield held[0] & 128 ? { trailers: trailersOf(content) } : { message: content };
        held = held.subarray(end);
      }
      const { done, value } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      held = joined;
    }
  } finally {
    // Also when the caller leaves its loop: what is not read any more must not be generated.
    reader.cancel().catch(() => {});
  }
}

function trailersOf(bytes) {
  const lines = new TextDecoder().decode(bytes).split("\r\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
}

// --- protobuf: a field is its number and kind, then a number (kind 0), or a length and bytes (kind 2)

function completeRequest(prompt, maxTokens) {
  const message = [...text(FIELDS.Message.role, "user"), ...text(FIELDS.Message.content, prompt)];
  const { messages, max_tokens } = FIELDS.CompleteRequest;
  return new Uint8Array([...bytes(messages, message), ...varint(max_tokens << 3), ...varint(maxTokens)]);
}

const text = (field, value) => bytes(field, new TextEncoder().encode(value));
const bytes = (field, value) => [...varint((field << 3) | 2), ...varint(value.length), ...value];

function varint(value) {
  const out = [];
  for (; value > 127; value >>>= 7) out.push((value & 127) | 128);
  return [...out, value];
}

/** The token's text; all other fields are passed over. */
function tokenOf(message) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  let token = "";
  while (at < message.length) {
    const tag = number();
    const kind = tag & 7;
    if (kind === 0) number();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else if (kind === 2) {
      const end = number() + at;
      if (tag >> 3 === FIELDS.TokenChunk.token) token = new TextDecoder().decode(message.subarray(at, end));
      at = end;
    } else throw new CallFailed(13, `a field of kind ${kind}`);
  }
  return token;
}
