// Programs from their projects' releases, each held against the published SHA-256 sum before it is used.
import { createHash } from "node:crypto";
import { chmodSync, createWriteStream, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Step } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import type { Release } from "./tools.ts";

const reachMs = 3_000;
const megabyte = 1_000_000;

const either = (signal: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  signal === undefined ? other : AbortSignal.any([signal, other]);

/** Whether every host that the releases come from answers within three seconds. */
export const internetReachable = async (releases: readonly Release[], signal?: AbortSignal): Promise<boolean> => {
  const urls = new Map(releases.map((release) => [new URL(release.url).host, release.sums]));
  const answers = await Promise.all(
    [...urls.values()].map((url) =>
      fetch(url, { method: "HEAD", signal: either(signal, AbortSignal.timeout(reachMs)) }).then(
        (response) => response.ok,
        () => false,
      ),
    ),
  );
  signal?.throwIfAborted();
  return answers.every(Boolean);
};

const get = async (url: string, signal?: AbortSignal): Promise<Response> => {
  const response = await fetch(url, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
};

/** The sum for a file from a text that holds it alone, or one `sum  name` in a line. Throws if it is not there. */
export const sumFor = (text: string, file: string): string => {
  for (const line of text.split("\n")) {
    const [sum = "", name = ""] = line.trim().split(/\s+/);
    if (/^[0-9a-f]{64}$/i.test(sum) && (name === "" || name.replace(/^\*/, "").split("/").at(-1) === file))
      return sum.toLowerCase();
  }
  throw new Error(`No SHA-256 sum for ${file} was published where it is expected`);
};

const fetchOne = async (release: Release, folder: string, step: Step, signal?: AbortSignal): Promise<void> => {
  const file = new URL(release.url).pathname.split("/").at(-1) ?? "";
  const expected = sumFor(await (await get(release.sums, signal)).text(), file);
  const response = await get(release.url, signal);
  const total = Number(response.headers.get("content-length") ?? 0);
  const hash = createHash("sha256");
  let done = 0;
  const target = join(folder, release.program);
  const part = `${target}.part`;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      hash.update(chunk);
      done += chunk.length;
      if (total > 0) step.bar(done / megabyte, total / megabyte, `MB of ${release.program}`);
      next(null, chunk);
    },
  });
  if (response.body === null) throw new Error(`${release.url} answered without a body`);
  await pipeline(
    Readable.fromWeb(response.body),
    count,
    createWriteStream(part),
    signal === undefined ? {} : { signal },
  );
  const sum = hash.digest("hex");
  if (sum !== expected)
    throw new Error(`${release.url} has the SHA-256 sum ${sum}, published is ${expected}: not used`);
  if (release.member === undefined) {
    renameSync(part, target);
  } else {
    const strip = release.member.split("/").length - 1;
    await run("tar", ["-xzf", part, "-C", folder, `--strip-components=${strip}`, release.member], { log: step.log });
    rmSync(part);
  }
  chmodSync(target, 0o755);
};

/** Fetches every release into `folder`, one after the other. */
export const download = async (
  releases: readonly Release[],
  folder: string,
  step: Step,
  signal?: AbortSignal,
): Promise<void> => {
  for (const release of releases) await fetchOne(release, folder, step, signal);
};
