/** The generated code: messages, service definitions and plain grpc-js clients, for what the clients above do not cover. */
export * as inference from "./gen/inference";
export * as llm from "./gen/llm";
export * as health from "./gen/grpc/health/v1/health";
export * as errorDetails from "./gen/google/rpc/error_details";
export * as rpcStatus from "./gen/google/rpc/status";
