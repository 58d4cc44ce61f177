import { kinds } from "../../cluster/index.ts";
import { passwordShards, passwordsName } from "../../resources/crd/installed.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { ApiSettings, World } from "../world.ts";

/**
 * Where hashes of passwords are: 64 Secrets in the installation's namespace, made empty by the operator. An account's Secret follows from its
 * name, its key in there is the name; which account an OpenID identity has is there too, by a name of its own (../oidc/links.ts). Every write is a
 * compare-and-swap, so that two replicas lose nothing of each other's.
 */
const passwordSecretOf = (account: string): string =>
  passwordsName(Number.parseInt(account.slice(1, 9), 16) % passwordShards);

const missing = () =>
  new Problem("unavailable", "The installation is not ready: the operator has not made its Secrets yet.", {
    retryAfter: 5,
  });

interface Where extends Pick<World, "client" | "pause" | "randomBytes"> {
  settings: Pick<ApiSettings, "namespace">;
}

/** The stored PHC string, read live. */
export async function storedPassword(world: Where, account: string): Promise<string | undefined> {
  const secret = await world.client.get(kinds.secrets, world.settings.namespace, passwordSecretOf(account));
  if (secret === undefined) throw missing();
  const value = secret.data?.[account];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}

/** Puts `next` (undefined: takes it away) where `before` is stored; false when something else is. */
export async function replacePassword(
  world: Where,
  account: string,
  before: string | undefined,
  next: string | undefined,
): Promise<boolean> {
  const encoded = (text: string) => Buffer.from(text, "utf8").toString("base64");
  const [from, to] = [before, next].map((text) => (text === undefined ? undefined : encoded(text)));
  let replaced = false;
  const secret = await change(world, kinds.secrets, world.settings.namespace, passwordSecretOf(account), (found) => {
    const { [account]: present, ...others } = found.data ?? {};
    // A write whose answer was lost has been done all the same.
    replaced = present === from || present === to;
    if (!replaced || present === to) return undefined;
    return { ...found, data: to === undefined ? others : { ...others, [account]: to } };
  });
  if (secret === undefined) throw missing();
  return replaced;
}
