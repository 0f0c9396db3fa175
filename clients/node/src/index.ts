export { Answer, type FinishReason, type Timing, type Usage } from "./answer";
export { Client, InferenceClient, type ModelHealth, type WaitOptions } from "./client";
export type { ChatMessage, Prompt } from "./contract";
export {
  AuthenticationError,
  CancelledError,
  ClientClosedError,
  ContextLengthError,
  DeadlineExceededError,
  InferenceError,
  InternalError,
  InvalidRequestError,
  ModelNotFoundError,
  OverloadedError,
  PermissionDeniedError,
  RequestTooLargeError,
  ResponseTooLargeError,
  TooLargeError,
  UnavailableError,
  UnimplementedError,
  type FieldViolation,
  type StatusName,
} from "./errors";
export type { HealthStatus } from "./health";
export type { GenerateRequestDraft, InferenceParameters } from "./inference";
export type { CompleteRequestDraft, GenerateParameters } from "./llm";
export type { CallMetadata, CallOptions, ClientOptions, Token } from "./options";
export { TokenStream } from "./stream";
export type { Pem, TlsOptions } from "./tls";
export { VERSION } from "./gen/version";
