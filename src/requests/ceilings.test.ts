import { expect, test } from "vitest";
import { createCeilings } from "./ceilings.ts";

const limits = {
  account: { migrations: 3, teams: 2, bytes: 4 << 20, waiting: 0 },
  installation: { migrations: 4, teams: 0, bytes: 5 << 20, waiting: 2 },
};
const done = async () => "done";

test("an account's own ceiling ends its own creates alone, and the installation's everybody's", async () => {
  const ceilings = createCeilings(limits);
  for (const at of [1, 2, 3]) ceilings.set(`m${at}`, { account: "ann", adds: { migrations: 1 } });
  await expect(ceilings.within("ann", { migrations: 1 }, done)).rejects.toMatchObject({
    code: "limit_reached",
    message:
      "Your account is limited to 3 migrations. Delete a migration first, or ask your administrator to raise `ceilings.account.migrations`.",
  });
  expect(await ceilings.within("bob", { migrations: 1 }, done)).toBe("done");
  ceilings.set("m4", { account: undefined, adds: { migrations: 1 } });
  await expect(ceilings.within("bob", { migrations: 1 }, done)).rejects.toThrow(
    "This installation is limited to 4 migrations.",
  );
  ceilings.set("m1", undefined);
  expect(await ceilings.within("ann", { migrations: 1 }, done)).toBe("done");
});

test("calls at the same time count each other, and one that failed no longer", async () => {
  const ceilings = createCeilings(limits);
  const { promise, reject } = Promise.withResolvers<string>();
  const first = ceilings.within("ann", { teams: 2 }, () => promise);
  await expect(ceilings.within("ann", { teams: 1 }, done)).rejects.toThrow("2 teams");
  reject(new Error("it was refused"));
  await expect(first).rejects.toThrow("it was refused");
  expect(await ceilings.within("ann", { teams: 1 }, done)).toBe("done");
  expect(ceilings.used().teams).toBe(0);
});

test("bytes are named in MiB, a change replaces what was, and 0 is no ceiling", async () => {
  const ceilings = createCeilings(limits);
  ceilings.set("m1", { account: "ann", adds: { bytes: 3 << 20, waiting: 1 } });
  await expect(ceilings.within("ann", { bytes: 2 << 20 }, done)).rejects.toThrow(
    "4 MiB of migrations and reports. Delete migrations first, or ask your administrator to raise `ceilings.account.megabytes`.",
  );
  ceilings.set("m1", { account: "ann", adds: { bytes: 100 } });
  expect(await ceilings.within("ann", { bytes: 2 << 20, waiting: 2 }, done)).toBe("done");
  expect([ceilings.used(), ceilings.mostOfOne()]).toEqual([
    { migrations: 0, teams: 0, bytes: 100, waiting: 0 },
    { migrations: 0, teams: 0, bytes: 100, waiting: 0 },
  ]);
});
