// npm run mutants [-- --only ID]… [--sample N [--seed S]]: each fault of the list in a copy of the tree, where its test must fail.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { mutants } from "./list/index.ts";
import { play, sample } from "./play.ts";

await runCommand("mutants", async ({ terminal, signal }) => {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      sample: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    },
  });
  const unknown = values.only?.find((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown !== undefined)
    throw new Error(`--only takes one of ${mutants.map(({ id }) => id).join(", ")}, and not ${unknown}`);
  for (const text of [values.sample ?? "1", values.seed])
    if (!/^\d+$/.test(text)) throw new Error(`${text} is not a whole number`);
  const named = mutants.filter(({ id }) => values.only?.includes(id) ?? true);
  const chosen = values.sample === undefined ? named : sample(named, Number(values.sample), Number(values.seed));
  if (values.sample !== undefined) terminal.line(`seed ${values.seed}`);
  const outcomes = await play(chosen, {
    atOnce: 2,
    signal,
    told: ({ mutant, killed, why }, seconds) =>
      terminal.line(
        `${killed ? "✓" : "✗"} ${mutant.id}  ${seconds.toFixed(1)} s${why === undefined ? "" : `  ${why}`}`,
      ),
    log: (text) => terminal.log(text),
  });
  const left = outcomes.filter(({ killed }) => !killed);
  for (const { mutant, why } of left)
    console.log(
      `\n✗ ${mutant.id}: ${why}\n    ${mutant.file}: ${mutant.find}\n    ${mutant.test.file}: ${mutant.test.name}\n    ${mutant.harm}`,
    );
  if (left.length > 0) console.log(`\nwhat the tests wrote: ${terminal.logFile}`);
  console.log(`${outcomes.length - left.length} passed, ${left.length} failed`);
  return left.length === 0 && outcomes.length > 0 ? 0 : 1;
});
