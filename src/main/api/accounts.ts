import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { connect, createClient, pause } from "../../cluster/index.ts";
import { setPassword } from "../../requests/accounts/account.ts";
import { createUserAccount, type Registry } from "../../requests/accounts/sign-up.ts";
import { Problem } from "../../requests/errors.ts";
import { everywhereOf } from "../../requests/freshness/fresh.ts";
import { createWritten } from "../../requests/freshness/written.ts";
import { kinds } from "../../resources/objects.ts";

/**
 * What an administrator does with `kubectl exec`: `create-account EMAIL` and `set-password EMAIL`, with the password on stdin (a line end after it
 * is not a part of it). The same functions as REST's, but open when sign-up is closed. Exit code: 0 done, 1 refused, 2 usage.
 */
const verbs: Record<
  string,
  (registry: Parameters<typeof setPassword>[0], input: { email: string; password: string }) => Promise<string>
> = {
  async "create-account"(registry, input) {
    const teams = () => registry.client.list(kinds.teams, {});
    const account = await createUserAccount(registry, input, { of: "administrator", teams, administrator: true });
    return `account ${account.metadata.name} is made; its team is ${account.spec.actingTeam}`;
  },
  async "set-password"(registry, input) {
    await setPassword(registry, input);
    return "the new password holds, and every session has ended";
  },
};

function wordsOf(error: unknown): string {
  if (!(error instanceof Problem)) return `failed: ${(error as Error).message}`;
  // REST's fix is to sign in, which is none for an administrator.
  if (error.code === "already_exists")
    return "There is an account with this e-mail address: set-password changes its password.";
  return error.message;
}

export async function runAccountVerb(args: readonly string[], namespace: string | undefined): Promise<number> {
  const [name = "", email, ...more] = args;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined || email === undefined || more.length > 0) {
    console.error(`usage: api.js [${Object.keys(verbs).join(" | ")}] EMAIL < PASSWORD`);
    return 2;
  }
  if (namespace === undefined) {
    console.error("ROWFERRY_NAMESPACE is not set: run it in a pod of the API");
    return 2;
  }
  const connection = connect({ userAgent: "rowferry-api" });
  const forever = new AbortController().signal;
  try {
    const password = (await text(process.stdin)).replace(/\r?\n$/, "");
    const registry: Registry = {
      client: createClient(connection),
      settings: { namespace },
      pause: (milliseconds) => pause(milliseconds, forever),
      randomBytes,
    };
    const fresh = { everywhere: everywhereOf(createWritten(registry), registry.pause) };
    console.log(await verb({ ...registry, fresh }, { email, password }));
    return 0;
  } catch (error) {
    console.error(wordsOf(error));
    return 1;
  } finally {
    connection.close();
  }
}
