import type { AnswerParts } from "./answer";
import type { Kinds } from "./parameters";

/** One message of a conversation. */
export interface ChatMessage {
  /** Who speaks. */
  role: "system" | "developer" | "user" | "assistant" | (string & {});
  /** The text; may be empty. */
  content: string;
}

/** A string is one message of the user. */
export type Prompt = string | readonly ChatMessage[];

/** A method of a service, as the generated code describes it. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Response;
}

/** How one of the two contracts is spoken. */
export interface Contract<Params, Draft, Request, Response, Chunk> {
  /** One whole answer. */
  readonly whole: Method<Request, Response>;
  /** The answer as it is generated. */
  readonly stream: Method<Request, Chunk>;
  readonly kinds: Kinds<Params>;
  /** Ends the error about an unknown parameter. */
  readonly hint: string;
  request(messages: ChatMessage[], params: Params): Request;
  /**
   * A whole request that the caller wrote.
   *
   * @param model for a request that names none
   * @throws TypeError for fields that the contract does not have
   */
  ownRequest(request: Draft, model: string | undefined): Request;
  partsOfWhole(response: Response): AnswerParts;
  /** What a chunk adds: text and reasoning are continued, all else replaces what was said before. */
  partsOfChunk(chunk: Chunk): AnswerParts;
}
