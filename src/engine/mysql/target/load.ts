import { EngineError } from "../../contract/index.ts";
import type { BlockPool } from "../../run/memory/block-pool.ts";
import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";
import { insertRows } from "./insert.ts";
import { blockStart, checkLoaded, type LoadColumn, type Loader, type LoadTarget } from "./loader.ts";

/** The rows of loader.ts by LOAD DATA LOCAL INFILE from memory, or by INSERT where the server does not allow that. */

/** Bytes handed over and not yet taken by the kernel, above which the caller is asked to wait. */
const inFlightBytes = 1 << 20;

/** LOCAL is switched off, on the server or for us. */
const forbidden = new Set([1148, 3948, 3950, 4166]);
/** Sessions whose server has said so. */
const withoutLoad = new WeakSet<Session>();
let loads = 0;

/** Begins to load; the session is taken until `finish` or `abort`. */
export async function openLoader(session: Session, target: LoadTarget, pool: BlockPool): Promise<Loader> {
  if (!target.inserts && !withoutLoad.has(session)) {
    try {
      return await localLoader(session, target, pool);
    } catch (error) {
      if (!forbidden.has(errorNumber(error) ?? 0)) throw error;
      withoutLoad.add(session);
    }
  }
  return insertRows(session, target, pool);
}

/**
 * In a statement with SET, MariaDB stores a number of its own for each 0 in AUTO_INCREMENT, under any sql_mode, unless SET
 * names that column too. The columns with it, as the server has the table.
 */
async function withCounter(session: Session, { database, table, columns }: LoadTarget): Promise<readonly LoadColumn[]> {
  if (!session.server.maria || columns.every(({ value }) => value === undefined)) return columns;
  const found = await session.query(
    `SHOW COLUMNS FROM ${qualified(database, table)} WHERE Extra LIKE '%auto_increment%'`,
  );
  const counters = new Set(found.map(([name]) => name));
  return columns.map((column) =>
    counters.has(column.name) && column.value === undefined ? { ...column, value: (field) => field } : column,
  );
}

function loadStatement({ database, table, columns }: LoadTarget, file: string): string {
  const fields = columns.map(({ name, value }, at) => (value === undefined ? identifier(name) : `@f${at}`));
  const sets = columns.flatMap(({ name, value }, at) =>
    value === undefined ? [] : [`${identifier(name)} = ${value(`@f${at}`)}`],
  );
  return (
    `LOAD DATA LOCAL INFILE ${literal(file)} INTO TABLE ${qualified(database, table)} CHARACTER SET binary ` +
    `FIELDS TERMINATED BY '\\t' ENCLOSED BY '' ESCAPED BY '\\\\' LINES STARTING BY '' TERMINATED BY '\\n' ` +
    `(${fields.join(", ")})${sets.length > 0 ? ` SET ${sets.join(", ")}` : ""}`
  );
}

async function localLoader(session: Session, target: LoadTarget, pool: BlockPool): Promise<Loader> {
  const file = `rowferry-${session.threadId}-${++loads}`;
  const columns = await withCounter(session, target);
  const stream = await session.load(loadStatement({ ...target, columns }, file), file);
  let inFlight = 0;
  let failure: { error: unknown } | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  let ending = false;
  stream.answered.then(
    () => {
      // An OK before the end would mean rows that nobody took; `finish` compares the numbers.
      if (!ending) failure ??= { error: new EngineError("protocol_error", "the target ended the data by itself") };
      waiting?.resolve();
    },
    (error: unknown) => {
      failure ??= { error };
      waiting?.reject(error);
    },
  );
  return {
    first: () => pool.take(),
    spare: (block) => pool.give(block),
    flush(block, end) {
      if (end <= blockStart) return block;
      if (failure !== undefined) return block;
      inFlight += end;
      stream.write(block.subarray(0, end), () => {
        inFlight -= end;
        pool.give(block);
        if (inFlight < inFlightBytes) {
          waiting?.resolve();
          waiting = undefined;
        }
      });
      if (inFlight >= inFlightBytes && waiting === undefined) {
        waiting = Promise.withResolvers();
        // Whoever asks for room hears of a failure; without this an early one would count as unheard.
        waiting.promise.catch(() => undefined);
      }
      return pool.take();
    },
    room() {
      if (failure !== undefined) return Promise.reject(failure.error);
      return waiting?.promise;
    },
    async finish(rows, tolerated) {
      ending = true;
      if (failure !== undefined) throw failure.error;
      const { affected, warnings } = await stream.finish();
      await checkLoaded(session, { rows, affected, warnings }, tolerated);
    },
    async abort() {
      ending = true;
      if (failure === undefined) await stream.finish().catch(() => undefined);
    },
  };
}
