import type { ChannelOptions } from "@grpc/grpc-js";
import type { ClientOptions } from "./options";
import type { Target } from "./target";
import { VERSION } from "./gen/version";

const MIB = 1024 * 1024;

/** What every channel of this package is made with; README has them as a table. */
export function channelOptions(target: Target, options: ClientOptions): ChannelOptions {
  const { maxMessageBytes = 64 * MIB, userAgent, proxy = true } = options;
  const serverName = typeof options.tls === "object" ? options.tls.serverName : undefined;
  return {
    "grpc.primary_user_agent": [userAgent, `inference-gateway-node/${VERSION}`].filter(Boolean).join(" "),
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    // A gateway that is back is found within 1.2 s: grpc-js adds up to a fifth.
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    // Connections of its own for each client; grpc-js would share them between clients with equal options.
    "grpc.use_local_subchannel_pool": 1,
    // For calls that never left, or that a closing gateway did not take up: grpc-js sends these again by itself, but
    // by default none above 1 MiB. The gateway takes no request above 32 MiB.
    "grpc.per_rpc_retry_buffer_size": 32 * MIB,
    "grpc.retry_buffer_size": 256 * MIB,
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    // No TXT lookups, no foreign service config.
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_channelz": 0,
    "grpc.enable_http_proxy": proxy && !target.local ? 1 : 0,
    ...(serverName && { "grpc.ssl_target_name_override": serverName, "grpc.default_authority": serverName }),
    ...options.channelOptions,
  };
}
