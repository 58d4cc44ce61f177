import type { Endpoint, TlsMode } from "../engine/contract/index.ts";
import { tlsModes } from "../resources/tls-mode.ts";
import { UrlError } from "./url-error.ts";

/** The TLS settings of a connection URL: `sslmode` (MySQL's `ssl-mode`), PostgreSQL's `channel_binding`, the CA, and the installation's minimum. */

type Tls = Endpoint["tls"];

export interface TlsParameters {
  mode?: TlsMode;
  binding?: NonNullable<Tls["binding"]>;
}

/** libpq's modes; `allow` prefers plain text, which is never wanted. */
const libpqModes = new Map<string, TlsMode>(tlsModes.map((mode) => [mode, mode]));

/** The MySQL clients' `--ssl-mode`. */
const mysqlModes = new Map<string, TlsMode>(
  Object.entries({
    disabled: "disable",
    preferred: "prefer",
    required: "require",
    verify_ca: "verify-ca",
    verify_identity: "verify-full",
  }),
);

/** `name` is the parameter as it may be printed. Errors: UrlError. */
export function parseMode(value: string, name: string): TlsMode {
  const text = value.toLowerCase();
  const mode = libpqModes.get(text) ?? mysqlModes.get(text.replaceAll("-", "_"));
  if (mode === undefined) throw new UrlError("url_parameter_value", `${name} is one of ${tlsModes.join(", ")}`);
  return mode;
}

const bindings = ["disable", "prefer", "require"] as const;

/** Errors: UrlError. */
export function parseBinding(value: string): NonNullable<Tls["binding"]> {
  const binding = bindings.find((one) => one === value.toLowerCase());
  if (binding === undefined)
    throw new UrlError("url_parameter_value", `channel_binding is one of ${bindings.join(", ")}`);
  return binding;
}

const strength = (mode: TlsMode) => tlsModes.indexOf(mode);

/** A private CA makes every mode that encrypts verify, as in libpq; without a mode, the certificate is verified completely. */
function withCa(mode: TlsMode | undefined): TlsMode {
  if (mode === undefined) return "verify-full";
  return mode === "prefer" || mode === "require" ? "verify-ca" : mode;
}

/**
 * What a driver gets. A URL without a mode gets `prefer`, or the installation's minimum if that is stronger.
 * Errors: UrlError if the URL names a mode below the minimum, or channel binding without TLS.
 */
export function chooseTls({ mode, binding }: TlsParameters, ca: string | undefined, minimum?: TlsMode): Tls {
  const wanted = ca === undefined ? (mode ?? "prefer") : withCa(mode);
  const tooWeak = minimum !== undefined && strength(wanted) < strength(minimum);
  if (tooWeak && mode !== undefined)
    throw new UrlError(
      "url_parameter_value",
      `sslmode=${wanted} is below the minimum of this installation: use sslmode=${minimum}, or leave sslmode out`,
    );
  const raised = tooWeak ? minimum : wanted;
  if (binding === "require" && raised === "disable")
    throw new UrlError("url_parameter_value", "channel_binding=require needs TLS: use sslmode=require or stronger");
  // `prefer` may fall back to a connection without TLS, which cannot be bound.
  const chosen = binding === "require" && raised === "prefer" ? "require" : raised;
  return { mode: chosen, ...(ca === undefined ? {} : { ca }), ...(binding === undefined ? {} : { binding }) };
}
