import { expect, test } from "vitest";
import { assess } from "../assess/index.ts";
import type { CopyHooks, CopyOptions, Endpoint } from "../contract/index.ts";
import { copy } from "../index.ts";
import { verify } from "../verify/index.ts";

const nothing = () => undefined;
const hooks: CopyHooks = {
  signal: new AbortController().signal,
  progress: nothing,
  measured: nothing,
  log: nothing,
};
/** Nothing listens there: the options are read first. */
const endpoint = (engine: Endpoint["engine"]): Endpoint => ({
  ...{ engine, host: "127.0.0.1", port: 1, user: "u", password: "p", database: "d" },
  tls: { mode: "disable" },
});
const engines = ["mysql", "postgres"] as const;
const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const));

test.each(pairs)(
  "%s → %s: without a number of jobs, the option is named before anything is reached",
  async (from, to) => {
    for (const jobs of [undefined, 0, 1.5, Number.NaN, "2"]) {
      const options = { jobs } as unknown as CopyOptions;
      const request = { source: endpoint(from), target: endpoint(to), options };
      const refused = { code: "option_invalid", message: "options.jobs is required (integer, at least 1; 2 is usual)" };
      await expect(copy({ ...request, owner: "o", ownerName: "n", reset: false }, hooks)).rejects.toMatchObject(
        refused,
      );
      await expect(assess(request, hooks)).rejects.toMatchObject(refused);
      await expect(verify(request, hooks)).rejects.toMatchObject(refused);
    }
  },
);
