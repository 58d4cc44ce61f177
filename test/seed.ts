import { execFileSync } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { wholeNumber } from "../dev/terminal/options.ts";

const most = 2 ** 31;

/** The option of the long forms. */
export const seedOption = {
  seed: {
    type: "string",
    value: "N",
    default: String(Date.now() % most),
    about: "Repeats a run's random choices",
  },
} as const;

/**
 * The seed of a file's random choices. It follows from the commit, so that a run can be repeated and a failure belongs to a change;
 * `usual` gives another one for that. The long forms (`ROWFERRY_LONG=1`, `npm run chaos`, `property`, `fuzz`, `load`) take a random one. `ROWFERRY_SEED` names one.
 */
export function chosenSeed(environment: NodeJS.ProcessEnv = process.env, usual: () => number = ofCommit): number {
  const { ROWFERRY_SEED: named, ROWFERRY_LONG: long } = environment;
  const seed =
    named !== undefined ? wholeNumber("ROWFERRY_SEED", named) : long !== undefined ? randomInt(most) : usual();
  console.info(`seed ${seed} (ROWFERRY_SEED=${seed} repeats it)`);
  return seed;
}

/** Of a copy without git: always the same. */
function ofCommit(): number {
  let commit = "";
  try {
    commit = execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
  } catch {}
  return createHash("sha256").update(commit).digest().readUInt32BE() % most;
}
