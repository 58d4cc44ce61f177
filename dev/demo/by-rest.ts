import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../terminal/index.ts";
import type { DemoDatabase } from "./databases.ts";
import { enter, type Rest, type RestAnswer } from "./rest.ts";

/** The demo's part by REST: each call is printed as the curl that does the same. */

export interface DemoAccount {
  email: string;
  token: string;
  /** Ids of the teams that it is in; the first is the acting one. */
  teams: string[];
}

/** They guard nothing but generated data in the demo's own cluster. */
const people = ["ada@example.com", "grace@example.com"];
const password = "the demo's own password";
const secondTeam = "Analysts";

/** Two people with a token each; those of an earlier demo go on. The first is in two teams. */
export async function makeAccounts(rest: Rest): Promise<DemoAccount[]> {
  const accounts: DemoAccount[] = [];
  for (const email of people) {
    const { token, team } = await enter(rest, email, password);
    accounts.push({ email, token, teams: [team] });
  }
  const [first] = accounts;
  if (first === undefined) return accounts;
  const { token } = first;
  const listed = expectStatus(200, await rest.call("GET", "/api/teams", { token }));
  const found = listed.body.data.find(({ name }: { name: string }) => name === secondTeam);
  const second =
    found ?? expectStatus(201, await rest.call("POST", "/api/teams", { token, body: { name: secondTeam } })).body.team;
  first.teams.push(second.id);
  return accounts;
}

function expectStatus(status: number, answer: RestAnswer): RestAnswer {
  if (answer.status !== status) throw new Error(`the API answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Preflight, create, poll, logs, report; rejects with the cause when the copy failed. */
export async function copyByRest(
  rest: Rest,
  terminal: Terminal,
  { source, target, token }: { source: DemoDatabase; target: DemoDatabase; token: string },
  signal: AbortSignal,
): Promise<void> {
  const body = { source_url: source.pod, target_url: target.pod };
  const show = (method: string, path: string, said: string) =>
    terminal.line(
      `  $ curl${method === "GET" ? "" : ` -X ${method}`} $API${path}${method === "GET" ? "" : " -d @pair.json"}\n    ${said}`,
    );
  terminal.line("");
  const checked = expectStatus(200, await rest.call("POST", "/api/migrations/preflight", { token, body }));
  show(
    "POST",
    "/api/migrations/preflight",
    `ready: ${checked.body.ready}, type: ${checked.body.type}, size: ${checked.body.size}, free_eligible: ${checked.body.free_eligible}`,
  );
  const options = { verify: "checksum" };
  const made = expectStatus(
    201,
    await rest.call("POST", "/api/migrations", {
      token,
      body: { ...body, options, estimate_id: checked.body.estimate_id },
    }),
  );
  const { id } = made.body.migration as { id: string };
  show(
    "POST",
    "/api/migrations",
    `id: ${id}, status: ${made.body.migration.status}, covered_by_plan: ${made.body.covered_by_plan}`,
  );
  const path = `/api/migrations/${id}`;
  const ended = await terminal.step(`GET ${path} until it is completed`, async (step) => {
    for (;;) {
      signal.throwIfAborted();
      const { body: one } = expectStatus(200, await rest.call("GET", path, { token }));
      if (one.progress)
        step.bar(one.progress.rows.done, Math.max(one.progress.rows.total, one.progress.rows.done), "rows");
      step.note(one.status);
      if (one.status === "failed") throw new Error(`the migration failed: ${one.error?.message ?? "no cause"}`);
      if (one.status === "completed") return one;
      await delay(500, undefined, { signal });
    }
  });
  show("GET", path, `status: ${ended.status}, cost: ${ended.cost}, rows: ${ended.report?.rows}`);
  const logs = expectStatus(200, await rest.call("GET", `${path}/logs`, { token }));
  show("GET", `${path}/logs`, `${logs.body.data.length} entries, the last: ${logs.body.data.at(-1)?.message}`);
  const report = expectStatus(200, await rest.call("GET", `${path}/report`, { token }));
  show("GET", `${path}/report`, `${Object.keys(report.body).join(", ")}`);
  terminal.line("");
}
