import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";

/** PEM: the bytes, the text ("-----BEGIN ..."), or the path of a file that is read when the client is made. */
export type Pem = string | Uint8Array;

/** How TLS is spoken. */
export interface TlsOptions {
  /** The authorities to trust in place of those that Node trusts. */
  ca?: Pem | undefined;
  /** The client's own certificate chain, for mTLS; with `key`. */
  cert?: Pem | undefined;
  /** The private key of `cert`. */
  key?: Pem | undefined;
  /** The name to look for in the gateway's certificate, where it is not the target's. */
  serverName?: string | undefined;
}

/** @throws TypeError for files that cannot be read or used */
export function channelCredentials(tls: boolean | TlsOptions | undefined): ChannelCredentials {
  if (tls === undefined || tls === false) {
    return credentials.createInsecure();
  }
  const { ca, cert, key, serverName, ...unknown } = tls === true ? ({} as TlsOptions) : tls;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new TypeError(`unknown option "tls.${stranger}"; tls takes ca, cert, key, serverName`);
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError("tls.cert and tls.key go together");
  }
  if (serverName !== undefined && typeof serverName !== "string") {
    throw new TypeError("tls.serverName must be a string");
  }
  try {
    return credentials.createSsl(certificate(ca, "ca"), bytes(key, "key"), certificate(cert, "cert"));
  } catch (cause) {
    if (cause instanceof TypeError) {
      throw cause;
    }
    throw new TypeError(`tls.cert and tls.key cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/** OpenSSL would pass over an authority that it cannot read, and then trust nobody. */
function certificate(pem: Pem | undefined, name: string): Buffer | null {
  const found = bytes(pem, name);
  try {
    return found && (new X509Certificate(found), found);
  } catch (cause) {
    throw new TypeError(`tls.${name} holds no certificate (PEM): ${(cause as Error).message}`, { cause });
  }
}

function bytes(pem: Pem | undefined, name: string): Buffer | null {
  if (pem === undefined) {
    return null;
  }
  if (typeof pem !== "string") {
    return Buffer.from(pem);
  }
  if (pem.trimStart().startsWith("-----BEGIN")) {
    return Buffer.from(pem);
  }
  try {
    return readFileSync(pem);
  } catch (cause) {
    // What is long or has several lines is no path, but perhaps a key: not to be shown.
    if (pem.length > 512 || pem.includes("\n")) {
      throw new TypeError(`tls.${name} is neither PEM nor a path`);
    }
    throw new TypeError(`tls.${name} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
