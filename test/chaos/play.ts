import { copy } from "../../src/engine/index.ts";
import { random } from "./random.ts";
import { measureUsual, playRound } from "./round.ts";
import { type Direction, directions, openScene } from "./scene.ts";

/** Many rounds from one seed, over the directions that the engine copies in. */

export interface Played {
  rounds: number;
  /** Each says the seed and the number of the round, which `--seed S --from N --rounds 1` plays again. */
  failures: string[];
}

/** The engine copies in this direction: it does not refuse it before it has looked at a server. */
export async function isCopied(direction: Direction): Promise<boolean> {
  const [source, target] = direction.split("-").map((engine) => ({
    engine: engine === "pg" ? ("postgres" as const) : ("mysql" as const),
    host: "127.0.0.1",
    port: 1,
    user: "x",
    password: "x",
    database: "x",
    tls: { mode: "disable" as const },
  }));
  if (source === undefined || target === undefined) return false;
  const hooks = {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: () => undefined,
  };
  const request = { owner: "probe", ownerName: "probe", source, target, options: { jobs: 1 }, reset: false };
  return copy(request, hooks).then(
    () => true,
    (error: { code?: string }) => error.code !== "unsupported_direction",
  );
}

/** Plays the rounds `from` to `from + rounds - 1` of each direction. Never throws for a round that fails. */
export async function play(
  options: { seed: number; rounds: number; from?: number; only?: Direction },
  say: (line: string) => void,
): Promise<Played> {
  const { seed, rounds, from = 0, only } = options;
  const played: Played = { rounds: 0, failures: [] };
  for (const direction of directions.filter((name) => only === undefined || only === name)) {
    if (!(await isCopied(direction))) {
      say(`${direction}: the engine does not copy in this direction yet`);
      continue;
    }
    const scene = await openScene(direction);
    try {
      const usual = await measureUsual(scene);
      say(`${direction}: seed ${seed}, an undisturbed copy takes ${Math.round(usual)} ms`);
      for (let round = from; round < from + rounds; round++) {
        played.rounds += 1;
        const name = `${direction} --seed ${seed} --from ${round}`;
        const stream = directions.indexOf(direction) * 1_000_000 + round;
        await playRound(scene, usual, random(seed, stream), `chaos-${seed}-${round}`).then(
          (story) => say(`${name}: ${story}`),
          (error: Error) => {
            played.failures.push(`${name}: ${error.message}`);
            say(`${name} FAILED: ${error.message}`);
          },
        );
      }
    } finally {
      await scene.close();
    }
  }
  return played;
}
