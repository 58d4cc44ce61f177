import { isIP } from "node:net";
import { asciiHost, exampleHost, refuseAddress } from "./check.ts";
import { type GuardPolicy, judgeAddress } from "./policy.ts";
import { UrlError } from "./url.ts";

/**
 * The endpoint of an S3 server as untrusted input, before anything is dialled: scheme, host and port, nothing else. An address is
 * judged here, a name where it is dialled. Returns it in one form, without a slash at its end. Errors: UrlError.
 */
export function checkStorageEndpoint(text: string, policy: GuardPolicy): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\/[^/@?#\\\s]+\/?$/i.test(text))
    throw new UrlError(
      "url_malformed",
      "write it as https://host or https://host:port, without a user, a path or a query",
    );
  const host = asciiHost(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (exampleHost.test(host))
    throw new UrlError("url_placeholder", "the host is an example: write the one of your S3 server");
  refuseAddress(host, policy);
  if (url.protocol === "http:" && !isPrivate(host))
    throw new UrlError("url_scheme", "use https: over http anybody on the way can change what is stored");
  return url.origin;
}

const nothing: GuardPolicy = { allow: [], refuse: [] };

/** An address that only `guard.allow` lets through. */
const isPrivate = (host: string): boolean => isIP(host) !== 0 && !judgeAddress(host, nothing).allowed;
