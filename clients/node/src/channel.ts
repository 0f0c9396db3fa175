import type { ChannelOptions } from "@grpc/grpc-js";
import { INFERENCE } from "./inference";
import { LLM } from "./llm";
import type { ClientOptions } from "./options";
import type { Target } from "./target";
import { VERSION } from "./gen/version";

const MIB = 1024 * 1024;

/** What every channel of this package is made with; README has them as a table. */
export function channelOptions(target: Target, options: ClientOptions): ChannelOptions {
  const { retries = 2, maxMessageBytes = 64 * MIB, userAgent, proxy = true } = options;
  const serverName = typeof options.tls === "object" ? options.tls.serverName : undefined;
  return {
    "grpc.primary_user_agent": [userAgent, `inference-gateway-node/${VERSION}`].filter(Boolean).join(" "),
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.initial_reconnect_backoff_ms": 200,
    // grpc-js adds up to a fifth: at most 4.8 s.
    "grpc.max_reconnect_backoff_ms": 4_000,
    // Connections of its own for each client; grpc-js would share them between clients with equal options.
    "grpc.use_local_subchannel_pool": 1,
    // The default, 1 MiB, would silently not retry a prompt of 1 MiB. The gateway takes no request above 32 MiB.
    "grpc.per_rpc_retry_buffer_size": 32 * MIB,
    "grpc.retry_buffer_size": 256 * MIB,
    "grpc-node.retry_max_attempts_limit": 1 + retries,
    "grpc.service_config": JSON.stringify(serviceConfig(retries)),
    // No TXT lookups, no foreign service config.
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_channelz": 0,
    "grpc.enable_http_proxy": proxy && !target.local ? 1 : 0,
    ...(serverName && { "grpc.ssl_target_name_override": serverName, "grpc.default_authority": serverName }),
    ...options.channelOptions,
  };
}

function serviceConfig(retries: number): object {
  const balancing = { loadBalancingConfig: [{ round_robin: {} }] };
  if (retries === 0) {
    return balancing;
  }
  return {
    ...balancing,
    methodConfig: [
      {
        name: [LLM, INFERENCE].map(({ whole }) => {
          const [, service, method] = whole.path.split("/");
          return { service, method };
        }),
        retryPolicy: {
          maxAttempts: 1 + retries,
          initialBackoff: "0.2s",
          maxBackoff: "2s",
          backoffMultiplier: 2,
          retryableStatusCodes: ["UNAVAILABLE", "RESOURCE_EXHAUSTED"],
        },
      },
    ],
    // After 50 failures more than successes (one counts a tenth) no call is sent again until some succeed.
    retryThrottling: { maxTokens: 100, tokenRatio: 0.1 },
  };
}
