import { afterEach, describe, expect, test } from "vitest";
import { assessFirst } from "../../src/engine/assess/assess-first.ts";
import { assess } from "../../src/engine/assess/index.ts";
import type { CopyHooks, CopyRequest, Endpoint } from "../../src/engine/contract/index.ts";
import { copy } from "../../src/engine/index.ts";
import { foundRuns } from "../../src/engine/run/reset.ts";
import { errorOf, mysqlOpen, postgresOpen, type Rogue, rogue } from "./rogue.ts";

/** Whole runs against servers that let anybody in and then say nothing more: a run ends, and frees its place. */

const open: Rogue[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const silent = { mysql: mysqlOpen(() => undefined), postgres: postgresOpen(() => undefined) };

async function request(from: Endpoint["engine"], to: Endpoint["engine"]): Promise<CopyRequest> {
  const [source, target] = await Promise.all([rogue(from, silent[from]), rogue(to, silent[to])]);
  open.push(source, target);
  const options = { jobs: 1, stall_timeout: 1 };
  return { owner: "o", ownerName: "o", source: source.endpoint, target: target.endpoint, options, reset: false };
}

const hooks = (): CopyHooks => ({
  signal: new AbortController().signal,
  progress: () => undefined,
  measured: () => undefined,
  log: () => undefined,
});

const engines = ["mysql", "postgres"] as const;

describe.each(engines.flatMap((from) => engines.map((to) => [from, to] as const)))("%s to %s", (from, to) => {
  test("a copy ends as stalled", async () => {
    expect(await errorOf(copy(await request(from, to), hooks()))).toMatchObject({ code: "stalled", retryable: true });
  });

  test("so does the look before it", async () => {
    const looked = assessFirst(await request(from, to), hooks(), { assess, foundRuns }, () => undefined);
    expect(await errorOf(looked)).toMatchObject({ code: "stalled", retryable: true });
  });
});
