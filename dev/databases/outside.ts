// node dev/databases/outside.ts KIND… : starts databases on loopback, prints their URLs, runs until Ctrl-C.
import { once } from "node:events";
import { openTerminal } from "../terminal/index.ts";
import { startDatabase } from "./index.ts";
import { type DatabaseKind, kinds } from "./kinds.ts";
import { pgTools } from "./pg-tools.ts";

const terminal = openTerminal({ name: "databases" });
const isKind = (word: string): word is DatabaseKind => word in kinds;
const words = process.argv.slice(2);
const wanted = words.filter(isKind);
if (wanted.length === 0 || wanted.length < words.length) {
  terminal.line(`Usage: node dev/databases/outside.ts KIND…   KIND: ${Object.keys(kinds).join(", ")}`);
  process.exit(2);
}
const asked = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const started = await Promise.allSettled(
  wanted.map((kind) => terminal.step(`Start ${kind}`, () => startDatabase(kind, { terminal }))),
);
const running = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
try {
  if (running.length < wanted.length) process.exitCode = 1;
  else {
    for (const { kind, url, adminUrl } of running) console.log(`${kind}\n  ${url}\n  ${adminUrl}`);
    console.log(`pg_dump, pg_restore, psql\n  ${await pgTools(terminal)}`);
    terminal.line("Press Ctrl-C to stop them.");
    await asked;
  }
} finally {
  await Promise.all(running.map((database) => database.stop()));
  terminal.close();
}
