import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { installed } from "../../src/resources/crd/installed.ts";
import { openScene, type Person, type Scene } from "./scene.ts";
import { driver, schemathesisPython } from "./schemathesis.ts";

/** Fuzzes a real installation as two accounts at once, each in a process of its own. */
export interface FuzzOptions {
  /** The same requests follow from the same seed, as far as the answers are the same. */
  seed: number;
  /** By both accounts together; a few more may be made. */
  requests: number;
}

export interface Played {
  requests: number;
  checks: number;
  /** How many answers had each status. */
  statuses: Record<string, number>;
  /** How often each operation answered with success. */
  successes: Record<string, number>;
  /** Refusals of what is right by the schema, for a reason that `driver/rules.py` names. */
  explained: Record<string, number>;
  failures: Failure[];
}

interface Failure {
  what: string;
  /** The request as a curl command, where there is one, and the answer. */
  how: string;
}

/** Errors: what a driver said that ended before its end. */
export async function playFuzz(
  { seed, requests }: FuzzOptions,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<Played> {
  const python = await schemathesisPython();
  const scene = await openScene();
  // When one of the two fails, the other ends.
  const over = new AbortController();
  const until = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  try {
    const [ann, bob] = scene.people;
    const each = Math.ceil(requests / 2);
    const played = await Promise.all([
      drive(python, scene, { me: ann, other: bob, seed, requests: each }, say, until),
      drive(python, scene, { me: bob, other: ann, seed: seed + 1_000_000, requests: each }, say, until),
    ]);
    const lost = scene.installation.replicas.filter(
      ({ child }) => child.exitCode !== null || child.signalCode !== null,
    );
    return {
      requests: sum(played.map((one) => one.requests)),
      checks: sum(played.map((one) => one.checks)),
      statuses: sumEach(played.map((one) => one.statuses)),
      successes: sumEach(played.map((one) => one.successes)),
      explained: sumEach(played.map((one) => one.explained)),
      failures: [
        ...new Map(played.flatMap(({ failures }) => failures).map((one) => [one.what, one])).values(),
        ...lost.map((replica) => ({ what: "the API's process ended", how: replica.output().slice(-5000) })),
      ],
    };
  } finally {
    over.abort();
    await scene.close();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function sumEach(counts: readonly Record<string, number>[]): Record<string, number> {
  const names = [...new Set(counts.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(names.map((name) => [name, sum(counts.map((one) => one[name] ?? 0))]));
}

/** What `driver/main.py` reads. */
const given = ({ installation, document, secrets, urls, live }: Scene, { me, other, seed, requests }: Part) => ({
  base_url: installation.place.baseUrl,
  ca: join(installation.place.folder, installed.apiTls, "ca.crt"),
  document,
  secrets,
  urls,
  live,
  accounts: [me, other],
  seed,
  requests,
});

interface Part {
  me: Person;
  other: Person;
  seed: number;
  requests: number;
}

async function drive(
  python: string,
  scene: Scene,
  part: Part,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Played> {
  const child = spawn(python, [join(driver, "main.py")], {
    cwd: scene.installation.place.folder,
    // No settings of the user's own, nor a proxy: the API is on this machine.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", HYPOTHESIS_STORAGE_DIRECTORY: "hypothesis", NO_PROXY: "*" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const stop = () => child.kill();
  signal.addEventListener("abort", stop, { once: true });
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    errors.push(line);
    say(line);
  });
  // One that ends without reading it is judged by its exit code, not by the broken pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(given(scene, part)));
  const output = await text(child.stdout);
  const [code] = await ended;
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  const last = output.trim().split("\n").at(-1) ?? "";
  if (code !== 0)
    throw new Error(
      `The fuzzer of account ${part.me.name} failed with exit code ${code}: ${errors.slice(-20).join("\n")}`,
    );
  return JSON.parse(last) as Played;
}
