import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openPool, type Pool, poolVariable } from "../servers/pool.ts";

/** A pool of the file's own, from which `borrowDatabase` borrows meanwhile in place of the run's. */
export function useOwnPool(): Pick<Pool, "counts"> & { path: string } {
  const path = join(tmpdir(), "pool");
  let pool: Pool | undefined;
  let before: string | undefined;
  beforeAll(async () => {
    before = process.env[poolVariable];
    pool = await openPool(path);
    process.env[poolVariable] = path;
  });
  afterAll(async () => {
    if (before === undefined) delete process.env[poolVariable];
    else process.env[poolVariable] = before;
    await pool?.close();
  });
  return {
    path,
    counts: () => {
      if (pool === undefined) throw new Error("the pool is not open");
      return pool.counts();
    },
  };
}
