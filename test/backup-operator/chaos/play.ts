import { setTimeout as pause } from "node:timers/promises";
import { type Random, random } from "../../chaos/random.ts";
import type { PlaneClient } from "../../operator/control-plane.ts";
import { type Backups, openBackups } from "./scene.ts";

/** Kills at random points of a run, of retention, of a restore and of a proof; what is left is judged after each. */

export const works = ["run", "retention", "restore", "proof"] as const;
export type Work = (typeof works)[number];
const victims = ["worker", "operator", "both"] as const;
type Victim = (typeof victims)[number];

export interface Played {
  kills: number;
  /** Kills that met their work before its end. */
  struck: Record<Work, number>;
  /** Violations, each with the seed and the kill. */
  failures: string[];
}

export interface Play {
  played: Played;
  /** The kill of this number, in the work whose turn it is. Resolves to its violations; never rejects. */
  kill(at: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** Opens the scene and measures each work without a kill. `plane`: stopped at the end. */
export async function openPlay(seed: number, say: (line: string) => void, plane?: PlaneClient): Promise<Play> {
  const played: Played = { kills: 0, struck: { run: 0, retention: 0, restore: 0, proof: 0 }, failures: [] };
  const backups = await openBackups(plane);
  try {
    const usual = await measureUsual(backups);
    say(`seed ${seed}: undisturbed ${works.map((work) => `${work} ${usual[work]} ms`).join(", ")}`);
    return {
      played,
      stop: backups.stop,
      async kill(at) {
        const work = works[at % works.length] as Work;
        const chosen = random(seed, at);
        const victim = chosen.pick(victims);
        const told = `seed ${seed}, kill ${at} (${work}, ${victim})`;
        let struck = false;
        const wrong = await disturb(backups, work, victim, chosen, usual)
          .then((met) => {
            struck = met;
            return backups.verdict();
          })
          .catch((error: unknown) => [error instanceof Error ? error.message : String(error)]);
        played.kills++;
        if (struck) played.struck[work]++;
        played.failures.push(...wrong.map((line) => `${told}: ${line}`));
        say(`${told}: ${struck ? "struck" : "too late"}; ${wrong.length === 0 ? "nothing lost" : wrong.join("; ")}`);
        return wrong;
      },
    };
  } catch (error) {
    await backups.stop();
    throw error;
  }
}

/** So many kills, one after the other. Errors: that the scene could not be opened, or `say`'s. */
export async function play(
  { seed, kills }: { seed: number; kills: number },
  say: (line: string) => void,
  plane?: PlaneClient,
): Promise<Played> {
  const { kill, played, stop } = await openPlay(seed, say, plane);
  try {
    for (let at = 0; at < kills; at++) await kill(at);
    return played;
  } finally {
    await stop();
  }
}

type Usual = Record<Work, number>;

/** Milliseconds of each work when nothing is killed. */
async function measureUsual(backups: Backups): Promise<Usual> {
  const timed = async (work: Promise<unknown>) => {
    const before = performance.now();
    await work;
    return Math.round(performance.now() - before);
  };
  const first = await backups.take();
  await backups.untilEnded("BackupRun", first);
  const second = await backups.take();
  const run = await timed(backups.untilEnded("BackupRun", second));
  const restored = await backups.restore(second);
  const restore = await timed(backups.untilEnded("Restore", restored));
  await backups.prove(second);
  const proof = await timed(backups.untilProved(second));
  await backups.untilEnded("BackupRun", await backups.take());
  const retention = await timed(backups.verdict());
  return { run, retention, restore, proof };
}

/** Begins the work and kills within it. Resolves, when it has ended, to whether the kill came before. */
async function disturb(backups: Backups, work: Work, victim: Victim, { next }: Random, usual: Usual): Promise<boolean> {
  const ended = await begin(backups, work);
  let isOver = false;
  const before = performance.now();
  const over = ended().finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  await Promise.race([pause(next() * usual[work]), over.catch(() => undefined)]);
  const struck = !isOver;
  if (struck) await strike(backups, victim);
  // A machine that is less busy than before must not be aimed at too late from then on.
  else usual[work] = performance.now() - before;
  await over;
  return struck;
}

/** Resolves, when the work has begun, to what waits for its end. */
async function begin(backups: Backups, work: Work): Promise<() => Promise<unknown>> {
  if (work === "run" || work === "retention") {
    const run = await backups.take();
    if (work === "run") return () => backups.untilEnded("BackupRun", run);
    // Its end makes the oldest run unnecessary.
    await backups.untilEnded("BackupRun", run);
    return () => backups.verdict();
  }
  const run = await backups.newest();
  if (run === undefined) throw new Error("no complete run is left");
  if (work === "restore") {
    const restore = await backups.restore(run);
    return () => backups.untilEnded("Restore", restore);
  }
  await backups.prove(run);
  return () => backups.untilProved(run);
}

async function strike({ scene }: Backups, victim: Victim): Promise<void> {
  if (victim !== "operator") for (const pod of scene.node.running()) scene.node.kill(pod);
  if (victim !== "worker") await scene.killOperator();
}
