import { newTally, type Tally, tallyWords } from "./blows.ts";
import { random } from "./random.ts";
import { measureUsual, playRound } from "./round.ts";
import { type Direction, directions, openScene, type Scene } from "./scene.ts";

/** Many rounds from one seed, over all four directions. */

export interface Played {
  rounds: number;
  tally: Tally;
  /** Each begins with the command that plays its round again. */
  failures: string[];
}

/** Plays the rounds `from` to `from + rounds - 1` of each direction. Never throws for a round that fails. */
export async function play(
  options: { seed: number; rounds: number; from?: number; only?: Direction },
  say: (line: string) => void,
): Promise<Played> {
  const { seed, rounds, from = 0, only } = options;
  const tally = newTally();
  const played: Played = { rounds: 0, tally, failures: [] };
  for (const direction of directions.filter((name) => only === undefined || only === name)) {
    let scene = await openScene(direction, seed);
    try {
      const usual = await measureUsual(scene);
      say(
        `${direction} (${scene.source.server.kind} to ${scene.target.kind}): seed ${seed}, an undisturbed copy takes ${Math.round(usual.ms)} ms`,
      );
      for (let round = from; round < from + rounds; round++) {
        played.rounds += 1;
        const name = `${direction} --seed ${seed} --from ${round}`;
        const stream = directions.indexOf(direction) * 1_000_000 + round;
        try {
          say(
            `${name}: ${await playRound(scene, { usual, tally, owner: `chaos-${seed}-${round}` }, random(seed, stream))}`,
          );
        } catch (error) {
          const words = error instanceof Error ? error.message : String(error);
          const again = `npm run chaos -- ${name} --rounds 1`;
          played.failures.push(`${again}: ${words}`);
          say(`FAILED ${again}: ${words}`);
          scene = await usable(scene, seed);
        }
      }
    } finally {
      await scene.close();
    }
  }
  say(tallyWords(tally));
  return played;
}

/** What failed may have left a server down: the next round gets servers that answer, if need be new ones. */
async function usable(scene: Scene, seed: number): Promise<Scene> {
  try {
    await Promise.all([scene.source.server.up(), scene.target.up()]);
    await scene.newTarget();
    return scene;
  } catch {
    await scene.close();
    return openScene(scene.direction, seed);
  }
}
