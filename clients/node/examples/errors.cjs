// What can go wrong, and what to do. CommonJS.
const {
  Client,
  InferenceError,
  InvalidRequestError,
  OverloadedError,
  UnavailableError,
} = require("@inference-gateway/client");

async function main() {
  const client = new Client();
  try {
    await client.generate("Hi", { temperature: 9 });
  } catch (error) {
    if (error instanceof InvalidRequestError) {
      for (const { field, description } of error.violations) {
        console.log(`${field}: ${description}`);
      }
    } else if (error instanceof OverloadedError || error instanceof UnavailableError) {
      console.log(error.retryable ? `come back in ${error.retryAfterMs ?? 1000} ms` : "do not repeat this");
    } else if (error instanceof InferenceError) {
      console.log(error.code, error.reason, error.message, error.requestId);
    } else {
      throw error;
    }
  } finally {
    await client.close();
  }
}

main();
