// Many calls at once on one client, with a bound of one's own; typed.
import { Client, InferenceError, type Answer, type ChatMessage } from "@inference-gateway/client";

const AT_ONCE = 8;

async function summarize(client: Client, text: string): Promise<Answer> {
  const messages: ChatMessage[] = [
    { role: "system", content: "Summarize in ten words." },
    { role: "user", content: text },
  ];
  return client.generate(messages, { maxTokens: 32, temperature: 0 });
}

async function main(): Promise<void> {
  const client = new Client();
  const texts = Array.from({ length: 32 }, (_, index) => `Text number ${index}`);
  let tokens = 0;
  const worker = async (): Promise<void> => {
    for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
      try {
        tokens += (await summarize(client, text)).usage?.outputTokens ?? 0;
      } catch (error) {
        if (!(error instanceof InferenceError)) {
          throw error;
        }
        console.error(`${text}: ${error.code} ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.log(`${tokens} tokens`);
  await client.close();
}

void main();
