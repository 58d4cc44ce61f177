// npm run fuzz [-- mcp] [--seed N] [--requests N]: schemathesis over the whole of /openapi.json as two accounts at once, or messages of our
// own making to both MCP servers; by default 10,000 requests. A failure is printed with the request that shows it.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { failure, throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../whole-number.ts";
import { playMcp } from "./mcp.ts";
import { playFuzz } from "./play.ts";

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} × ${name}`)
    .join(", ");

interface Failed {
  what: string;
  how: string;
}

function show(failures: readonly Failed[]): void {
  for (const { what, how } of failures) console.log(`\n✗ ${what}\n${how.replace(/^/gm, "    ")}`);
}

/** Throws if one is there. `words`: what repeats the run. */
function judge(failures: readonly Failed[], words: string): void {
  throwIfAny(
    failures.map(({ what }) => what),
    `Repeat a request as the lines below its ✗ show, or the run by \`${words}\`.`,
  );
}

await runCommand("fuzz", async ({ terminal, signal }) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      requests: { type: "string", default: "10000" },
    },
  });
  const [seed, requests] = [wholeNumber("--seed", values.seed), wholeNumber("--requests", values.requests)];
  const [part] = positionals;
  if (part !== undefined && (part !== "mcp" || positionals.length > 1))
    throw failure(`Unknown: ${positionals.join(" ")}`, "Use `mcp`, or no word for the REST API.");
  if (part === "mcp") {
    const played = await playMcp(seed, requests, signal);
    show(played.failures);
    console.log(`\ntools: ${listed(played.tools)}`);
    console.log(`answers: ${listed(played.statuses)}`);
    console.log(`seed ${seed}`);
    console.log(`${played.messages} messages, ${played.failures.length} failures`);
    judge(played.failures, `npm run fuzz -- mcp --seed ${seed} --requests ${requests}`);
    return 0;
  }
  const played = await playFuzz({ seed, requests }, (line) => terminal.line(line), signal);
  show(played.failures);
  console.log(`\nsuccess: ${listed(played.successes)}`);
  console.log(`refused for a reason that no schema can say: ${listed(played.explained)}`);
  console.log(`answers: ${listed(played.statuses)}`);
  console.log(`seed ${seed}`);
  console.log(`${played.requests} requests, ${played.checks} checks, ${played.failures.length} failures`);
  judge(played.failures, `npm run fuzz -- --seed ${seed} --requests ${requests}`);
  return 0;
});
