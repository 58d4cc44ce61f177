// npm run fuzz [-- mcp] [--seed N] [--requests N]: schemathesis over the whole of /openapi.json as two accounts at once, or messages of our
// own making to both MCP servers; by default 10,000 requests. A failure is printed with the request that shows it.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { playMcp } from "./mcp.ts";
import { playFuzz } from "./play.ts";

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} × ${name}`)
    .join(", ");

function tell(failures: readonly { what: string; how: string }[]): void {
  for (const { what, how } of failures) console.log(`\n✗ ${what}\n${how.replace(/^/gm, "    ")}`);
}

await runCommand("fuzz", async ({ terminal, signal }) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      requests: { type: "string", default: "10000" },
    },
  });
  const [seed, requests] = [values.seed, values.requests].map((text) => {
    if (!/^\d+$/.test(text)) throw new Error(`${text} is not a whole number`);
    return Number(text);
  }) as [number, number];
  const [part] = positionals;
  if (part !== undefined && (part !== "mcp" || positionals.length > 1))
    throw new Error(`${positionals.join(" ")} is not mcp`);
  if (part === "mcp") {
    const played = await playMcp(seed, requests, signal);
    tell(played.failures);
    console.log(`\ntools: ${listed(played.tools)}`);
    console.log(`answers: ${listed(played.statuses)}`);
    console.log(`seed ${seed}`);
    console.log(`${played.messages} messages, ${played.failures.length} failures`);
    return played.failures.length === 0 ? 0 : 1;
  }
  const played = await playFuzz({ seed, requests }, (line) => terminal.line(line), signal);
  tell(played.failures);
  console.log(`\nsuccess: ${listed(played.successes)}`);
  console.log(`refused for a reason that no schema can say: ${listed(played.explained)}`);
  console.log(`answers: ${listed(played.statuses)}`);
  console.log(`seed ${seed}`);
  console.log(`${played.requests} requests, ${played.checks} checks, ${played.failures.length} failures`);
  return played.failures.length === 0 ? 0 : 1;
});
