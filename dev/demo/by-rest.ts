import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../terminal/index.ts";
import { callLine, callOpening, enterLine, mintLine, type Shell, shellOpening } from "./curl.ts";
import type { DemoDatabase } from "./databases.ts";
import { notCopiedLines } from "./not-copied.ts";
import { enter, type Rest, type RestAnswer } from "./rest.ts";
import { authorizeAt } from "./stripe/person.ts";

/** The demo's part by REST: each call is printed as the line for a shell that does the same. */

export interface DemoAccount {
  email: string;
  token: string;
  /** Ids of the teams that it is in; the first is the acting one. */
  teams: string[];
}

/** Subscribed to Pro; with its free migration; and one that pays for each migration. */
const people = ["ada@example.com", "grace@example.com", "alan@example.com"];
const secondTeam = "Analysts";

/** Three accounts with a token each; those of an earlier demo are used again. The first is in two teams. */
export async function makeAccounts(
  rest: Rest,
  terminal: Terminal,
  shell: Shell,
  password: string,
): Promise<DemoAccount[]> {
  const entered = await terminal.step("Create three accounts, each with an API token", () =>
    Promise.all(people.map((email) => enter(rest, email, password))),
  );
  const accounts = entered.map(({ email, token, team }): DemoAccount => ({ email, token, teams: [team] }));
  const [first] = entered;
  if (first === undefined) return accounts;
  const { email, token, team } = first;
  terminal.line(`
  While the cluster runs, you can paste these lines into a shell. The response of the API is below each line:
  $ ${shellOpening(shell)}
  $ ${enterLine({ email, password })}
    acting_team: ${team}
  $ ${mintLine({ name: "demo" })}
    token: ${token}
`);
  const listed = expectStatus(200, await rest.call("GET", "/api/teams", { token }));
  const found = listed.body.data.find(({ name }: { name: string }) => name === secondTeam);
  const second =
    found ?? expectStatus(201, await rest.call("POST", "/api/teams", { token, body: { name: secondTeam } })).body.team;
  accounts[0]?.teams.push(second.id);
  return accounts;
}

function expectStatus(status: number, answer: RestAnswer): RestAnswer {
  if (answer.status !== status) throw new Error(`The API returned ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Preflight, create, poll, logs, report; rejects with the cause when the copy failed. */
export async function copyByRest(
  rest: Rest,
  terminal: Terminal,
  { source, target, token }: { source: DemoDatabase; target: DemoDatabase; token: string },
  signal: AbortSignal,
): Promise<void> {
  const pair = { source_url: source.pod, target_url: target.pod };
  const show = (line: string, said: string) => terminal.line(`  $ ${line}\n    ${said}`);
  terminal.line(`\n  $ ${callOpening(token)}`);
  const preflight = "/api/migrations/preflight";
  const { body: checked } = expectStatus(200, await rest.call("POST", preflight, { token, body: pair }));
  const { ready, type, size, free_eligible } = checked;
  show(callLine(preflight, pair), `ready: ${ready}, type: ${type}, size: ${size}, free_eligible: ${free_eligible}`);
  for (const line of checked.estimate?.lines ?? [])
    terminal.line(`    price: ${line.text}: ${line.amount} ${checked.currency}`);
  const wanted = { ...pair, options: { verify: "checksum" } };
  const made = expectStatus(201, await rest.call("POST", "/api/migrations", { token, body: wanted }));
  const { id, status } = made.body.migration as { id: string; status: string };
  const { amount, covered_by_plan: covered, checkout_url: checkoutUrl } = made.body;
  const terms =
    checkoutUrl === undefined ? `covered_by_plan: ${covered}` : `amount: ${amount}\n    checkout_url: ${checkoutUrl}`;
  show(callLine("/api/migrations", wanted), `id: ${id}, status: ${status}, ${terms}`);
  if (checkoutUrl !== undefined)
    await terminal.step("Authorize the payment at checkout_url, in place of a person", () => authorizeAt(checkoutUrl));
  const path = `/api/migrations/${id}`;
  const ended = await terminal.step(`GET ${path} until it is completed`, async (step) => {
    for (;;) {
      signal.throwIfAborted();
      const { body: one } = expectStatus(200, await rest.call("GET", path, { token }));
      if (one.progress)
        step.bar(one.progress.rows.done, Math.max(one.progress.rows.total, one.progress.rows.done), "rows");
      step.note(one.status);
      if (one.status === "failed")
        throw new Error(`The migration failed: ${one.error?.message ?? "its error names no cause"}`);
      if (one.status === "completed") return one;
      await delay(500, undefined, { signal });
    }
  });
  show(callLine(path), `status: ${ended.status}, cost: ${ended.cost}, rows: ${ended.report?.rows}`);
  const logs = expectStatus(200, await rest.call("GET", `${path}/logs`, { token }));
  show(callLine(`${path}/logs`), `${logs.body.data.length} entries, the last: ${logs.body.data.at(-1)?.message}`);
  const report = expectStatus(200, await rest.call("GET", `${path}/report`, { token }));
  show(callLine(`${path}/report`), `${Object.keys(report.body).join(", ")}`);
  terminal.line("");
  for (const line of notCopiedLines(report.body.inventory)) terminal.line(line);
  terminal.line("");
}
