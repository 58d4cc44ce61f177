import type { InventoryEntry } from "../../../contract/index.ts";
import { renamed } from "../../../contract/known.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { qualified as sourceQualified } from "../../../mysql/driver/names.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import { literal, qualified } from "../../../postgres/driver/names.ts";
import type { Scheme } from "../columns/column-plan.ts";
import { nameFor } from "./scheme.ts";

/** MariaDB's sequences as PostgreSQL's, with the value that comes next. They know no snapshot: it is the value at reading. */

const largest = 9223372036854775807n;
const smallest = -9223372036854775808n;

/** Adds them to what is made before the tables. Answers what became of each. */
export async function planSequences(
  scheme: Scheme,
  reader: Reader,
  objects: readonly SourceObject[],
): Promise<InventoryEntry[]> {
  const inventory: InventoryEntry[] = [];
  for (const { kind, name } of objects) {
    if (kind !== "sequence") continue;
    const [row = []] = await reader.query(
      `SELECT next_not_cached_value, minimum_value, maximum_value, start_value, increment, cache_size, cycle_option
         FROM ${sourceQualified(scheme.database, name)}`,
    );
    const numbers = row.map((value) => BigInt(value ?? 0));
    const [next = 1n, low = 1n, high = largest, start = 1n, step = 1n, cache = 1n, cycles = 0n] = numbers;
    if (high > largest || low < smallest) {
      inventory.push({
        kind,
        name,
        outcome: "reported",
        note: `its bounds are beyond PostgreSQL's bigint (next value ${next})`,
        definition: `CREATE SEQUENCE ${sourceQualified(scheme.database, name)} MINVALUE ${low} MAXVALUE ${high} START ${start} INCREMENT ${step}`,
      });
      continue;
    }
    const own = nameFor(scheme, `sequence ${name}`, name);
    const quoted = qualified(scheme.schema, own);
    const spent = next > high || next < low;
    const value = spent ? (step < 0n ? low : high) : next;
    scheme.shared.set(own, {
      made: { kind: "sequence", name: [scheme.schema, own] },
      create: `CREATE SEQUENCE ${quoted} AS bigint INCREMENT BY ${step === 0n ? 1n : step} MINVALUE ${low} MAXVALUE ${high} START WITH ${start}${cycles === 0n ? "" : " CYCLE"}`,
      after: `SELECT pg_catalog.setval(${literal(quoted)}::regclass, ${value}, ${spent})`,
    });
    const words = [
      own === name ? [] : [renamed(own)],
      step === 0n ? ["counts by 1: the source's increment is that of its server"] : [],
      cache > 1n ? [`without the cache of ${cache}, which each session would have for itself`] : [],
    ].flat();
    inventory.push({
      kind,
      name,
      outcome: "converted",
      ...(words.length === 0 ? {} : { note: words.join("; ") }),
      ...(own === name ? {} : { targetName: own }),
    });
  }
  return inventory;
}

/** MariaDB's default that draws from a sequence, as PostgreSQL's; undefined for another expression or sequence. */
export function drawsFrom(scheme: Scheme, expression: string): string | undefined {
  const name = "`((?:[^`]|``)*)`";
  const found = new RegExp(`^(?:nextval\\(|next value for )(?:${name}\\.)?${name}\\)?$`, "i").exec(expression.trim());
  if (found === null) return undefined;
  const [, database, sequence = ""] = found.map((part) => part?.replaceAll("``", "`"));
  if (database !== undefined && database !== scheme.database) return undefined;
  const own = scheme.given.get(`sequence ${sequence}`);
  return own === undefined ? undefined : `nextval(${literal(qualified(scheme.schema, own))}::regclass)`;
}
