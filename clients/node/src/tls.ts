import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";

/**
 * What may be shown as a path. A key without its first line may not: it begins with M, as all that is DER in Base64 and longer
 * than a few bytes, or has long runs of Base64, or dashes.
 */
const PATH = /^(?!M[A-Z])(?!.*(?:MII|[A-Za-z0-9+/=]{40}|--))[^\p{Cc}]{1,200}$/u;

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
  if (serverName !== undefined && (typeof serverName !== "string" || !/^[\p{L}\p{N}._:-]+$/u.test(serverName))) {
    throw new TypeError("tls.serverName must be a host name");
  }
  try {
    return withoutAddressAsName(
      credentials.createSsl(certificate(ca, "ca"), bytes(key, "key"), certificate(cert, "cert")),
    );
  } catch (cause) {
    if (cause instanceof TypeError) {
      throw cause;
    }
    throw new TypeError(`tls.cert and tls.key cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/**
 * grpc-js also sends an IP address as the name of the server, which RFC 6066 forbids and of which Node warns (DEP0123). Without
 * it the certificate is checked against the address all the same.
 */
function withoutAddressAsName(made: ChannelCredentials): ChannelCredentials {
  const create = made._createSecureConnector.bind(made);
  made._createSecureConnector = (...given) => {
    const connector = create(...given) as ReturnType<typeof create> & { connectionOptions?: { servername?: string } };
    if (isIP(connector.connectionOptions?.servername ?? "") !== 0) {
      delete connector.connectionOptions?.servername;
    }
    return connector;
  };
  return made;
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
  if (ArrayBuffer.isView(pem)) {
    return Buffer.from(pem);
  }
  if (typeof pem !== "string") {
    throw new TypeError(`tls.${name} must be a path, PEM text or bytes`);
  }
  if (pem.trimStart().startsWith("-----BEGIN")) {
    return Buffer.from(pem);
  }
  try {
    return readFileSync(pem);
  } catch (error) {
    // Not what Node says of it, nor as the cause: it shows the path, which may be a key without its first line.
    const why = (error as NodeJS.ErrnoException).code ?? "no path";
    const shown = name !== "key" && PATH.test(pem) ? ` ("${pem}")` : "";
    throw new TypeError(`tls.${name} cannot be read: ${why}${shown}; it takes a path, or PEM from -----BEGIN on`);
  }
}
