import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { CopyRequest } from "../../src/engine/contract/index.ts";
import { reset } from "../../src/engine/run/reset.ts";
import { type Outcome, objection, type Tally, type Victim, victims } from "./blows.ts";
import { catalogueOf, type Place, rowsOf, sql } from "./contents.ts";
import type { Said } from "./engine-process.ts";
import { openProxy, type Proxy as Wire } from "./proxy.ts";
import type { Random } from "./random.ts";
import { endpoint, type Scene } from "./scene.ts";
import { startWorker, type Worker } from "./worker.ts";
import { expectWhole, startWriter } from "./writer.ts";

/**
 * One round: a copy that is disturbed once or more, then either tried again until it is done, or reset. What must hold
 * after each step is asserted by throwing, with everything that is needed to run it again.
 */

/** What happened, in a line. */
export type Story = string;

const attempts = 5;

/** An undisturbed copy: how long it takes, so that a blow falls within it, and every object that is there then. */
export interface Usual {
  ms: number;
  catalogue: readonly string[];
}

/** Counts its blows in `tally`. Errors: a sentence on what does not hold. */
export async function playRound(
  scene: Scene,
  { usual, tally, owner }: { usual: Usual; tally: Tally; owner: string },
  { next, pick }: Random,
): Promise<Story> {
  const { place, catalogue } = await scene.newTarget();
  const story: string[] = [];
  const then = next() < 0.35 ? "reset" : "retry";
  for (let attempt = 1; ; attempt++) {
    const disturbed = attempt === 1 || (attempt < 3 && next() < 0.4);
    const victim = disturbed ? pick(victims) : undefined;
    // Before a quarter of it the process only starts.
    const at = (0.25 + next() * 0.85) * usual.ms;
    const { said, log, ms, struck } = await disturbedCopy(scene, place, owner, victim, at);
    const outcome = await outcomeOf(said, place);
    // A machine that is less busy than before must not be aimed at too late from then on.
    if (attempt === 1 && !struck && outcome === "done") usual.ms = ms;
    if (victim !== undefined) {
      tally.aimed += 1;
      if (struck) tally.struck += 1;
      if (struck && outcome !== "done") tally.landed[victim] += 1;
    }
    story.push(victim === undefined ? outcome : `${victim} at ${Math.round(at)} ms: ${outcome}`);
    const fail = (what: string): never => {
      const words = typeof said === "string" || said.ok ? "" : `\n${said.message}`;
      throw new Error(`${what} (${story.join("; ")})${words}\n${log.slice(-3000)}`);
    };
    const objected = objection(struck ? victim : undefined, outcome, said);
    if (objected !== undefined) fail(objected);
    if (outcome === "done") {
      await expectEqual(scene, place, usual.catalogue).catch((error: unknown) => fail(String(error)));
      return story.join("; ");
    }
    if (then === "reset") {
      await expectReset(place, owner, catalogue).catch((error: unknown) => fail(String(error)));
      return `${story.join("; ")}; reset`;
    }
    if (attempt === attempts) fail("it was never done");
  }
}

/** `unended`: the result was told, and the checkpoint is still there; who knows the result may try again or reset all the same. */
async function outcomeOf(said: Said | "killed" | "hung", place: Place): Promise<Outcome> {
  if (typeof said === "string") return said;
  if (!said.ok) return said.code;
  const left = !said.ended && (await catalogueOf(place)).some((line) => line.includes("_rowferry"));
  return left ? "unended" : "done";
}

/** Copies undisturbed, and holds that to be equal. Errors: as a round's. */
export async function measureUsual(scene: Scene): Promise<Usual> {
  const { place, catalogue } = await scene.newTarget();
  const { said, ms, log, written } = await disturbedCopy(scene, place, "undisturbed", undefined, 0);
  if (typeof said === "string" || !said.ok)
    throw new Error(`an undisturbed copy failed: ${JSON.stringify(said)}\n${log}`);
  if (written === 0) throw new Error("nothing was written to the source meanwhile");
  const after = await catalogueOf(place);
  const lost = catalogue.filter((line) => !after.includes(line));
  if (lost.length > 0) throw new Error(`the application's own objects changed: ${lost.join("; ")}`);
  await expectEqual(scene, place, after);
  return { ms, catalogue: after };
}

async function disturbedCopy(scene: Scene, place: Place, owner: string, victim: Victim | undefined, atMs: number) {
  const proxies: Wire[] = [];
  if (victim === "connections") {
    proxies.push(await openProxy(scene.source.server.port), await openProxy(scene.target.port));
  }
  const request: CopyRequest = {
    owner,
    ownerName: "chaos",
    source: endpoint(scene.source, proxies[0]?.port),
    target: endpoint(place, proxies[1]?.port),
    options: { jobs: 2 },
    reset: false,
  };
  const writer = startWriter(scene.source);
  const worker = startWorker(scene.program, request, scene.tools);
  let struck = false;
  const ended = { value: false };
  const result = worker.ended.finally(() => {
    ended.value = true;
  });
  try {
    if (victim !== undefined) {
      await Promise.race([pause(atMs), result]);
      struck = !ended.value;
      if (struck) await strike(scene, victim, worker, proxies);
    }
    const done = await result;
    // A source that is down is up again before its writer ends.
    await scene.source.server.up();
    return { ...done, struck, written: await writer.stop() };
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all([scene.source.server.up(), scene.target.up()]);
    await writer.stop();
  }
}

async function strike(scene: Scene, victim: Victim, worker: Worker, proxies: readonly Wire[]): Promise<void> {
  if (victim === "worker") worker.kill();
  else if (victim === "source") await scene.source.server.down("kill");
  else if (victim === "target") await scene.target.down("kill");
  else for (const proxy of proxies) proxy.cut();
}

async function expectEqual(scene: Scene, place: Place, usual: readonly string[]): Promise<void> {
  const rows = await rowsOf(place, scene.tables).catch(async (error: Error) => {
    const there = (await catalogueOf(place)).filter((line) => /^(relation|table) /.test(line));
    throw new Error(`${error.message}; the target has ${there.join("; ")}`);
  });
  if (!isDeepStrictEqual(rows, scene.rows)) {
    const wrong = scene.tables.filter((table) => rows[table] !== scene.rows[table]);
    throw new Error(
      wrong.map((name) => `${name} has ${rows[name]} where the source has ${scene.rows[name]}`).join("; "),
    );
  }
  await expectWhole(place);
  const after = await catalogueOf(place);
  const lost = usual.filter((line) => !after.includes(line));
  const more = after.filter((line) => !usual.includes(line));
  if (lost.length > 0 || more.length > 0) {
    throw new Error(
      `beside an undisturbed copy ${JSON.stringify(lost)} is missing and ${JSON.stringify(more)} is too much`,
    );
  }
  if (after.some((line) => line.includes("_rowferry"))) throw new Error("_rowferry was left");
  const mine = await sql(place, "SELECT word FROM mine ORDER BY id");
  if (!isDeepStrictEqual(mine, [["mine"], ["too"]])) throw new Error("the application's rows changed");
}

async function expectReset(place: Place, owner: string, before: readonly string[]): Promise<void> {
  const hooks = { signal: new AbortController().signal, log: () => undefined };
  await reset({ owner, ownerName: "chaos", target: endpoint(place) }, hooks).catch((error: unknown) => {
    if ((error as { code?: string }).code !== "nothing_to_reset") throw error;
  });
  const after = await catalogueOf(place);
  const [gone, left] = [before.filter((line) => !after.includes(line)), after.filter((line) => !before.includes(line))];
  if (gone.length > 0 || left.length > 0) {
    throw new Error(`after the reset ${JSON.stringify(gone)} is gone and ${JSON.stringify(left)} is left`);
  }
  const mine = await sql(place, "SELECT word FROM mine ORDER BY id");
  if (!isDeepStrictEqual(mine, [["mine"], ["too"]])) throw new Error("the reset changed the application's rows");
}
