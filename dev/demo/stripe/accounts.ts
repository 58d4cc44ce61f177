import type { Cluster } from "../../cluster/index.ts";
import type { DemoAccount } from "../by-rest.ts";
import type { Rest, RestAnswer } from "../rest.ts";
import { until } from "../until.ts";
import { authorizeAt } from "./person.ts";

/** Subscribes an account to Pro: opens the link of the API and authorizes the payment there. */
export async function subscribe(rest: Rest, { token }: Pick<DemoAccount, "token">, signal: AbortSignal): Promise<void> {
  const plan = async () => (await answered(rest.call("GET", "/api/account", { token })))?.body.plan;
  if ((await plan()) === "pro") return;
  let link = "";
  const opened = async (): Promise<boolean> => {
    const answer = await answered(rest.call("POST", "/api/billing/subscribe", { token }));
    // The cluster's network may learn of the simulator's Service a moment after its pod is ready.
    if (answer === undefined || answer.status === 503) return false;
    const { status, body } = answer;
    if (status !== 200) throw new Error(`The API returned ${status}: ${JSON.stringify(body)}`);
    link = body.url;
    return true;
  };
  await until("the API to reach the Stripe simulator", opened, signal);
  await authorizeAt(link);
  await until("the plan to be Pro", async () => (await plan()) === "pro", signal);
}

/** Undefined: the connection was cut, as by a machine that is too busy; both requests may be sent again. */
const answered = (call: Promise<RestAnswer>): Promise<RestAnswer | undefined> =>
  call.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ECONNRESET") return undefined;
    throw error;
  });

/** Marks an account's free migration as used, as an administrator can: its next migration has a price. */
export async function useFreeMigration(cluster: Pick<Cluster, "kubectl">, email: string): Promise<void> {
  const listed = JSON.parse(await cluster.kubectl(["get", "accounts.rowferry.dev", "-o", "json"]));
  const account = listed.items.find(({ spec }: { spec: { email: string } }) => spec.email === email);
  if (account === undefined) throw new Error(`there is no account ${email}`);
  if (account.spec.freeMigration?.used === true) return;
  const freeMigration = { namespace: "-", name: "-", at: new Date().toISOString(), used: true };
  const patch = JSON.stringify({ spec: { freeMigration } });
  await cluster.kubectl(["patch", "accounts.rowferry.dev", account.metadata.name, "--type=merge", "-p", patch]);
}
