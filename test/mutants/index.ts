// npm run mutants: each fault of the list in a copy of the tree, where its test must fail.
import { runCommand } from "../../dev/terminal/command.ts";
import { throwIfAny } from "../../dev/terminal/failure.ts";
import { wholeNumber } from "../../dev/terminal/options.ts";
import { seedOption } from "../seed.ts";
import { mutants } from "./list/index.ts";
import { play, sample } from "./play.ts";

const ids = mutants.map(({ id }) => id);
const options = {
  sample: { type: "string", value: "N", about: "N of them, chosen at random" },
  ...seedOption,
} as const;
const words = { usage: "[MUTANT]…", about: "These alone", among: ids };
const about = "Changes one line for the worse in a copy of the tree, where a named test must fail.";

await runCommand({ name: "mutants", about, options, words }, async ({ terminal, signal, values, words: only }) => {
  const seed = wholeNumber("--seed", values.seed);
  const named = mutants.filter(({ id }) => only.length === 0 || only.includes(id));
  const chosen = values.sample === undefined ? named : sample(named, wholeNumber("--sample", values.sample, 1), seed);
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
    "Fix the tests of the mutants above, then run `npm run mutants -- MUTANT`. The log has what the tests wrote.",
  );
  return 0;
});
