import { isIPv4, isIPv6 } from "node:net";

const PORT = 50051;

/** Where the gateway is. */
export interface Target {
  /** As it was written. */
  readonly text: string;
  /** As grpc-js wants it. */
  readonly uri: string;
  /** Whether it cannot leave this machine. */
  readonly local: boolean;
}

/**
 * Reads a target: `host`, `host:port`, `dns:///host:port`, `ipv4:a:1,b:2`, `ipv6:[a]:1,[b]:2` or `unix:/path`; without a
 * port it is 50051.
 *
 * @throws TypeError that says what to write
 */
export function readTarget(text: string): Target {
  const [, scheme, rest = ""] = /^(dns|ipv4|ipv6|unix):(.*)$/s.exec(text) ?? [];
  switch (scheme) {
    case "unix":
      demand(/^(?:[^/]|\/(?!\/)|\/\/\/[^/])/.test(rest), text, "write unix:/path/of/the.sock");
      return { text, uri: text, local: true };
    case "ipv4":
    case "ipv6": {
      const isAddress = scheme === "ipv4" ? isIPv4 : isIPv6;
      const addresses = rest.split(",").map((address) => hostPort(address, text));
      const wrong = addresses.find(({ host }) => !isAddress(host));
      demand(wrong === undefined, text, `${wrong?.host} is no ${scheme} address`);
      return {
        text,
        uri: `${scheme}:${addresses.map(written).join(",")}`,
        local: addresses.every(({ host }) => isLoopback(host)),
      };
    }
    case "dns": {
      const [, server = "", name = rest] = /^(\/\/[^/]*\/)(.*)$/.exec(rest) ?? [];
      return dns(name, text, server);
    }
    default:
      refuseUrl(text);
      return dns(text, text, "");
  }
}

function dns(name: string, text: string, server: string): Target {
  const address = hostPort(name, text);
  return { text, uri: `dns:${server}${written(address)}`, local: isLoopback(address.host) };
}

function refuseUrl(text: string): void {
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(text);
  if (url !== null) {
    const tls = /s$/i.test(url[1] ?? "") ? " and set tls: true" : "";
    fail(text, `a target is no URL: write "${url[2] || "host:50051"}"${tls}`);
  }
  demand(!text.includes(","), text, "for several addresses write ipv4:10.0.0.1:50051,10.0.0.2:50051");
}

interface HostPort {
  readonly host: string;
  readonly port: number;
}

function hostPort(address: string, text: string): HostPort {
  if (isIPv6(address)) {
    return { host: address, port: PORT };
  }
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]+)\]|([\p{L}\p{N}._-]+))(?::(\d+))?$/u.exec(address) ?? fail(text, "write host:port");
  const port = digits === undefined ? PORT : Number(digits);
  demand(bracketed === undefined || isIPv6(bracketed), text, "brackets are for IPv6 addresses, as [::1]:50051");
  demand(port >= 1 && port <= 65535, text, "a port is 1 to 65535");
  return { host: (bracketed ?? plain) as string, port };
}

function written({ host, port }: HostPort): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function isLoopback(host: string): boolean {
  return (isIPv4(host) && host.startsWith("127.")) || /^(?:localhost|.*\.localhost|::1)$/i.test(host);
}

function demand(holds: boolean, text: string, advice: string): void {
  if (!holds) {
    fail(text, advice);
  }
}

function fail(text: string, advice: string): never {
  throw new TypeError(`target ${JSON.stringify(text)} cannot be read: ${advice}`);
}
