// A gateway that says what a test tells it to, and shows what the client sent.
import { after } from "node:test";
import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { errorDetails, health, inference, llm, rpcStatus } from "@inference-gateway/client/proto";

const servers = new Set();

after(() => servers.forEach((server) => server.forceShutdown()));

/** Starts one; close() ends it. `handlers` may have complete, completeStream, generate, check. */
export async function startFake(handlers, options = {}) {
  const server = new Server(options.server);
  servers.add(server);
  const seen = [];
  const noted = (handler) => (call, callback) => {
    seen.push({ metadata: call.metadata, request: call.request, deadline: call.getDeadline() });
    return handler(call, callback, seen.length);
  };
  const refuse = (_call, callback) => callback({ code: status.UNIMPLEMENTED });
  server.addService(llm.LLMServiceService, {
    complete: noted(handlers.complete ?? refuse),
    completeStream: noted(handlers.completeStream ?? ((call) => call.destroy())),
  });
  server.addService(inference.InferenceServiceService, {
    generate: noted(handlers.generate ?? refuse),
    generateStream: noted((call) => call.destroy()),
    health: noted(refuse),
  });
  server.addService(health.HealthService, {
    check: noted(handlers.check ?? ((_call, callback) => callback(null, { status: 1 }))),
    watch: noted((call) => call.destroy()),
  });
  const address = options.address ?? "127.0.0.1:0";
  const port = await new Promise((resolve, reject) =>
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { target: options.address ?? `127.0.0.1:${port}`, port, seen, close: () => server.forceShutdown() };
}

/** A whole answer of the full contract. */
export function answer(text) {
  return llm.CompleteResponse.fromPartial({ text, finish: { reason: llm.FinishReason.STOP, raw: "stop" } });
}

/** What a gateway's refusal carries; pushbackMs -1 forbids to come back. */
export function refusal(code, { reason, pushbackMs, retryDelay, metadata = {}, fields, rawDetails } = {}) {
  const trailers = new Metadata();
  if (pushbackMs !== undefined) {
    trailers.set("grpc-retry-pushback-ms", String(pushbackMs));
  }
  const details = [];
  const add = (name, type, message) =>
    details.push({
      typeUrl: `type.googleapis.com/google.rpc.${name}`,
      value: Buffer.from(type.encode(message).finish()),
    });
  if (reason !== undefined) {
    add(
      "ErrorInfo",
      errorDetails.ErrorInfo,
      errorDetails.ErrorInfo.fromPartial({ reason, domain: "inference-gateway", metadata }),
    );
  }
  if (retryDelay !== undefined) {
    add("RetryInfo", errorDetails.RetryInfo, errorDetails.RetryInfo.fromPartial({ retryDelay }));
  }
  if (fields !== undefined) {
    add("BadRequest", errorDetails.BadRequest, errorDetails.BadRequest.fromPartial({ fieldViolations: fields }));
  }
  if (rawDetails !== undefined || details.length > 0) {
    const bytes = rpcStatus.Status.encode({ code, message: "refused", details }).finish();
    trailers.set("grpc-status-details-bin", Buffer.from(rawDetails ?? bytes));
  }
  return { code, details: "refused by the test", metadata: trailers };
}
