// What a user's own script does after `npm run demo -- --detach --json`: copies by REST at the address that the demo printed,
// and reads both databases. Runs inside the machine: `node guest.ts FACTS`, a file with that JSON.
import { readFileSync } from "node:fs";
import { copyByRest } from "../../../dev/demo/by-rest.ts";
import type { DemoFacts } from "../../../dev/demo/facts.ts";
import { openRest } from "../../../dev/demo/rest.ts";
import { compare } from "../../../dev/demo/steps.ts";
import { openTerminal } from "../../../dev/terminal/index.ts";

const facts = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as DemoFacts;
const terminal = openTerminal({ name: "guest" });
const rest = openRest({ baseUrl: facts.base_url, ca: readFileSync(facts.ca_file, "utf8") });
const { source, target } = facts.databases;
try {
  for (const url of [facts.base_url, source.host, target.host]) {
    if (new URL(url).hostname !== "127.0.0.1") throw new Error(`${url} is not on loopback`);
  }
  const token = facts.accounts[0]?.token ?? "";
  await copyByRest(rest, terminal, { source, target, token }, AbortSignal.timeout(300_000));
  await compare(terminal, source, target);
} finally {
  rest.close();
  terminal.close();
}
