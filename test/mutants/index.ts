// npm run mutants [-- --only ID]… [--sample N [--seed S]]: each fault of the list in a copy of the tree, where its test must fail.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { failure, throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../whole-number.ts";
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
    throw failure(`There is no mutant \`${unknown}\`.`, `Use one of ${mutants.map(({ id }) => id).join(", ")}.`);
  const seed = wholeNumber("--seed", values.seed);
  const named = mutants.filter(({ id }) => values.only?.includes(id) ?? true);
  const chosen = values.sample === undefined ? named : sample(named, wholeNumber("--sample", values.sample), seed);
  if (values.sample !== undefined) terminal.line(`seed ${values.seed}`);
  const outcomes = await play(chosen, {
    atOnce: 2,
    signal,
    report: ({ mutant, killed, why }, seconds) =>
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
  console.log(`${outcomes.length - left.length} passed, ${left.length} failed`);
  throwIfAny(
    left.map(({ mutant, why }) => `${mutant.id}: ${why}`),
    "Fix the tests of the mutants above, then run `npm run mutants -- --only ID`. The log has what the tests wrote.",
  );
  return outcomes.length > 0 ? 0 : 1;
});
