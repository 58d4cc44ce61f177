import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isPostgres, type Place, sql } from "./contents.ts";

/**
 * Somebody who writes to the source during every copy: each transaction adds one to every row of the ledgers, so that in a
 * target all of them hold one value. A copy that mixes two states of the source does not.
 */
const ledgers = ["ledger0", "ledger1", "ledger2", "ledger3"];
const each = 3;

export const ledgerTables = (): string =>
  ledgers
    .map((name) => {
      const rows = Array.from({ length: each }, (_, id) => `(${id}, 0)`);
      return `CREATE TABLE ${name} (id int PRIMARY KEY, v bigint NOT NULL); INSERT INTO ${name} VALUES ${rows.join(", ")};`;
    })
    .join("\n");

const change = ledgers.map((name) => `UPDATE ${name} SET v = v + 1;`).join(" ");

/** Transactions of one login. The server repeats them: a statement of its own for each costs this process as much as the server. */
const batch = 100;
function batchOf(place: Place): string {
  if (isPostgres(place)) return `DO $$ BEGIN FOR i IN 1..${batch} LOOP ${change} COMMIT; END LOOP; END $$`;
  const one = `START TRANSACTION; ${change} COMMIT;`;
  // MySQL repeats only in a routine, which would be copied.
  return place.server.kind === "mariadb"
    ? `BEGIN NOT ATOMIC FOR i IN 1..${batch} DO ${one} END FOR; END`
    : `${one} `.repeat(batch);
}

/** Writes until `stop`, which answers how many transactions there were; where the source is down it tries again. */
export function startWriter(source: Place): { stop(): Promise<number> } {
  let going = true;
  let written = 0;
  const statement = batchOf(source);
  const work = (async () => {
    while (going) {
      const begun = performance.now();
      await sql(source, statement).then(
        () => {
          written += batch;
        },
        // As killed: the source is brought up again before the writer is stopped.
        () => undefined,
      );
      // It writes thousands of transactions in a second all the same, and leaves a processor to the copy.
      await pause((performance.now() - begun) / 2);
    }
  })();
  return {
    async stop() {
      going = false;
      await work;
      return written;
    },
  };
}

/** Errors: the values, where they are not one. */
export async function expectWhole(place: Place): Promise<void> {
  const found = await sql(place, ledgers.map((name) => `SELECT v FROM ${name}`).join(" UNION ALL "));
  if (found.length !== each * ledgers.length || found.some((row) => !isDeepStrictEqual(row, found[0])))
    throw new Error(`the ledgers are of several moments: ${JSON.stringify(found)}`);
}
