// npm run fuzz: schemathesis over the whole of /openapi.json as two accounts at once, or messages of our own making to both MCP
// servers. A failure is printed with the request that shows it.
import { runCommand } from "../../dev/terminal/command.ts";
import { throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../../dev/terminal/options.ts";
import { seedOption } from "../seed.ts";
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

const usage = {
  name: "fuzz",
  about: "Sends generated requests to the API, as two accounts at once.",
  options: {
    ...seedOption,
    requests: { type: "string", value: "N", default: "10000", about: "Requests or messages (10000)" },
  },
  words: {
    usage: "[mcp]",
    about: "Messages to the MCP servers instead of requests to the API",
    among: ["mcp"],
    most: 1,
  },
} as const;

await runCommand(usage, async ({ terminal, signal, values, words: [part] }) => {
  const [seed, requests] = [wholeNumber("--seed", values.seed), wholeNumber("--requests", values.requests, 1)];
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
