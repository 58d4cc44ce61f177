import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Definers that the target's user may not set: assess warns of them, the copy lists them, and verify says why they differ. */

let servers: my.Servers;
beforeAll(async () => {
  servers = await my.startServers();
});
afterAll(async () => {
  await my.closeClients();
  await servers?.close();
});

const hooks = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };

test.each(my.flavours)("%s: a definer that becomes the target's user", async (flavour) => {
  const where = await my.pair(
    servers,
    flavour,
    flavour,
    "CREATE TABLE a (i int PRIMARY KEY); CREATE VIEW v AS SELECT i FROM a; CREATE VIEW w AS SELECT i FROM a; CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.i = NEW.i + 0",
  );
  const user = `definer_writer_${flavour}`;
  const { admin } = servers.of[flavour];
  await admin.query(`CREATE USER ${user} IDENTIFIED BY 'pass-word-1'`);
  await admin.query(`GRANT ALL ON ${where.target.database}.* TO ${user}`);
  const target = { ...where.target, user, password: "pass-word-1" };
  const [[{ root }]] = (await admin.query("SELECT CURRENT_USER() AS root")) as unknown as [[{ root: string }]];
  const asked = { source: where.source, target, options: { jobs: 2 } };
  const because = `is ${user}@% instead of ${root}, because the target's user may not set another definer`;

  const assessed = await assess(asked, hooks);
  expect(assessed.findings.filter(({ code }) => code === "definer_changes")).toEqual([
    {
      severity: "warning",
      code: "definer_changes",
      object: `definer ${root}`,
      reason: `2 views, 1 trigger would get the definer ${user}@%, and then run with its rights`,
      fix: `GRANT ${flavour === "mysql" ? "SET_ANY_DEFINER" : "SET USER"} ON *.* TO '${user}'@'%'`,
    },
  ]);
  const ofCode = <One extends { kind: string; name: string; outcome: string; note?: string }>(all: readonly One[]) =>
    all
      .filter(({ kind }) => /view|trigger/.test(kind))
      .map(({ kind, name, outcome, note }) => `${kind} ${name} ${outcome} ${note}`)
      .sort();
  expect(ofCode(assessed.objects)).toEqual(
    ["trigger t", "view v", "view w"].map((one) => `${one} converted its definer ${because}`),
  );

  const { report, copied } = await run(asked);
  await copied.finish();
  expect(ofCode(report.inventory)).toEqual(ofCode(assessed.objects));
  expect(report.warnings.filter((words) => words.includes("definer"))).toEqual([
    expect.stringMatching(/^2 views, 1 trigger: the definer is /),
  ]);
  expect(report.warnings.join()).toContain(because);

  const found = await verify(asked, hooks);
  expect(found.equal).toBe(true);
  expect(found.objects.notes).toContain(
    `the definer ${root} is ${user}@% in the target: its user may not set another one, or options.definers requests it`,
  );

  await admin.query(`GRANT ${flavour === "mysql" ? "SET_ANY_DEFINER" : "SET USER"} ON *.* TO ${user}`);
  const again = await assess(asked, hooks);
  expect(again.findings.filter(({ code }) => code === "definer_changes")).toEqual([]);
});
