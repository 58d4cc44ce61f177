import { StripeFailure } from "../state/errors.ts";
import type { Store } from "../state/store.ts";

/** A key of the account. `rights` null: a secret key, which may do all. */
export interface ApiKey {
  key: string;
  /** Of a restricted key: names such as `checkout_session_write`, which includes `checkout_session_read`. */
  rights: readonly string[] | null;
}

/** Whose Bearer key a request has, or the user name of Basic, as curl's `-u sk_test_…:` sends it. */
export const keyOf = (store: Store, authorization: string | undefined): ApiKey => {
  const [scheme = "", value = ""] = (authorization ?? "").split(" ");
  const given = /^basic$/i.test(scheme) ? (Buffer.from(value, "base64").toString().split(":")[0] ?? "") : value;
  if (given === "") {
    const message =
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.";
    throw new StripeFailure(401, "invalid_request_error", message);
  }
  const known = store.get<ApiKey>("api_keys", given);
  if (known === undefined) {
    throw new StripeFailure(401, "invalid_request_error", `Invalid API Key provided: ${shortened(given)}`);
  }
  return known;
};

/** Errors: 403 if a restricted key lacks the right. */
export const requireRight = ({ key, rights }: ApiKey, right: string): void => {
  if (rights === null || rights.includes(right)) return;
  if (right.endsWith("_read") && rights.includes(right.replace(/_read$/, "_write"))) return;
  const message = `The provided key '${shortened(key)}' does not have the required permissions for this endpoint on account 'acct_simulator'. Having the 'rak_${right}' permission would allow this request to continue.`;
  throw new StripeFailure(403, "invalid_request_error", message);
};

/** As Stripe shows a key in errors: its kind and its last four characters. */
const shortened = (key: string): string => {
  const kind = /^[a-z]+_[a-z]+_/.exec(key)?.[0] ?? "";
  return `${kind}${"*".repeat(8)}${key.slice(Math.max(kind.length, key.length - 4))}`;
};
