import { type CheckedUrl, checkUserUrl } from "../../../guard/check.ts";
import type { GuardPolicy } from "../../../guard/policy.ts";
import { UrlError } from "../../../guard/url.ts";
import { type FieldError, Problem } from "../../errors.ts";
import { isSameUrl } from "./places.ts";
import type { Pair } from "./shapes.ts";

/** The two URLs of a request, judged before anything is dialled or stored. */
export interface CheckedPair {
  type: "transfer" | "conversion";
  source: CheckedUrl;
  target: CheckedUrl;
}

interface GivenPair extends Pick<Pair, "source_url" | "target_url"> {
  options?: { source_ca?: string | undefined; target_ca?: string | undefined } | undefined;
}

/** Throws Problem `url_refused`, with each of the fields that are not accepted, or `invalid`. */
export function checkPair({ source_url, target_url, options }: GivenPair, policy: GuardPolicy): CheckedPair {
  const errors: FieldError[] = [];
  const source = tried(errors, "source_url", source_url, options?.source_ca, policy);
  const target = tried(errors, "target_url", target_url, options?.target_ca, policy);
  if (source === undefined || target === undefined) throw refused(errors);
  if (isSameUrl(source.endpoint, target.endpoint))
    throw new Problem("invalid", "source_url and target_url name the same database: name two different ones.", {
      errors: [{ field: "target_url", message: "is the database of source_url: name another one" }],
    });
  return { source, target, type: source.endpoint.engine === target.endpoint.engine ? "transfer" : "conversion" };
}

/** Throws Problem `url_refused`. */
export function checkOne(field: string, url: string, ca: string | undefined, policy: GuardPolicy): CheckedUrl {
  const errors: FieldError[] = [];
  const checked = tried(errors, field, url, ca, policy);
  if (checked === undefined) throw refused(errors);
  return checked;
}

const refused = (errors: readonly FieldError[]) =>
  new Problem("url_refused", `${errors.map(({ field, message }) => `${field}: ${message}`).join("; ")}.`, { errors });

function tried(
  errors: FieldError[],
  field: string,
  url: string,
  ca: string | undefined,
  policy: GuardPolicy,
): CheckedUrl | undefined {
  try {
    return checkUserUrl(url, ca === undefined ? { policy } : { ca, policy });
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    errors.push({ field, message: error.message });
    return undefined;
  }
}
