import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import { RefusedRows } from "../../../mysql/target/loader.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import { identifier as sourceIdentifier } from "../../../postgres/driver/names.ts";
import { type CopyToLoadFindings, kind } from "../../../rows/copy-to-load/fields.ts";
import type { ObservedType } from "../columns/target-type.ts";
import { nothingObserved } from "../columns/types.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { isInvalidJson, isJsonError } from "./copy-part.ts";

/** What the data have taught about a table, for its next plan. */
export interface ObservedTypes {
  columns: Map<string, ObservedType>;
  brokenChecks: Set<string>;
  /** What the target said when it refused the expressions of the table. */
  refused?: string;
  /** The target refused the table with its indexes: those that are no key of rows are built later, where each may be refused. */
  indexesLater?: true;
}

/** The same for those who only read it. */
export type ReadonlyObservedTypes = Readonly<Omit<ObservedTypes, "columns" | "brokenChecks">> & {
  readonly columns: ReadonlyMap<string, ObservedType>;
  readonly brokenChecks: ReadonlySet<string>;
};

export const createObservedTypes = (): ObservedTypes => ({ columns: new Map(), brokenChecks: new Set() });

/**
 * Learns from what broke, and says it. Errors: `value_in_key` where only NULL can stand for a key's value; the refusal
 * itself where nothing can be learnt from it.
 */
export async function observeTypes(
  observedTypes: ObservedTypes,
  plan: TablePlan,
  results: readonly { findings: readonly CopyToLoadFindings[]; refusal?: EngineError }[],
  relations: readonly string[],
  reader: Reader,
  log: (message: string) => void,
): Promise<void> {
  let learnt = false;
  const of = (name: string): ObservedType => observedTypes.columns.get(name) ?? nothingObserved;
  for (const [at, column] of plan.loaded.entries()) {
    const found = results.map(({ findings }) => findings[at]).find((one) => one?.broken !== undefined);
    if (found === undefined) continue;
    const { name } = column.source;
    const label = `table ${tableName(plan.source)}`;
    learnt = true;
    if (found.broken === "null") {
      if (plan.source.indexes.some(({ primary, keys }) => primary && keys.some((key) => key.column === name)))
        throw new EngineError(
          "value_in_key",
          `${label}: the key column ${name} holds a value that MySQL's ${column.sql} does not know and that cannot become NULL in a key; correct the row, or name another type in options.types`,
        );
      observedTypes.columns.set(name, { ...of(name), nullable: true });
      log(`${label} is copied again: column ${name} is NOT NULL but holds a value that only NULL can stand for`);
    } else if (column.type.kind === kind.numeric) {
      const digits = await digitsIn(reader, name, relations);
      observedTypes.columns.set(name, { ...of(name), long: true, digits });
      log(
        `${label} is copied again with another type for column ${name}: it holds numbers of ${digits.before} digits before the point and ${digits.after} after it`,
      );
    } else if (column.type.kind === kind.shape) {
      observedTypes.columns.set(name, { ...of(name), long: true });
      log(`${label} is copied again with text for column ${name}: it holds a geometry that the target does not take`);
    } else {
      observedTypes.columns.set(name, { ...of(name), long: true });
      log(`${label} is copied again with a longer type for column ${name}: a value is too long for a key`);
    }
  }
  const refusal = results.find((result) => result.refusal !== undefined)?.refusal;
  if (learnt || refusal === undefined) return;
  observeRefusal(observedTypes, plan, refusal, log);
}

function observeRefusal(
  observedTypes: ObservedTypes,
  plan: TablePlan,
  refusal: EngineError,
  log: (message: string) => void,
): void {
  const words = refusal.message;
  const label = `table ${tableName(plan.source)}`;
  const constraint =
    /[Cc]heck constraint '([^']+)'/.exec(words)?.[1] ?? /CONSTRAINT `((?:[^`]|``)+)` failed/.exec(words)?.[1];
  const bare = constraint?.split(".").at(-1)?.replaceAll("`", "");
  const documents = plan.loaded.filter(
    ({ sql, source: { name } }) => sql === "JSON" && observedTypes.columns.get(name)?.long !== true,
  );
  const named = documents.filter(({ name }) => bare === name || words.includes(`.${name}'`));
  const warnings = refusal instanceof RefusedRows ? refusal.warnings : [];
  const isJson = isJsonError(errorNumber(refusal)) || warnings.some(isInvalidJson) || named.length > 0;
  if (isJson && documents.length > 0) {
    for (const { source } of named.length > 0 ? named : documents) {
      observedTypes.columns.set(source.name, {
        ...(observedTypes.columns.get(source.name) ?? nothingObserved),
        long: true,
      });
      log(
        `${label} is copied again with text for column ${source.name}: it holds documents that the target's JSON refuses`,
      );
    }
    return;
  }
  const broken = brokenCheck(plan, words) ?? bare;
  if (broken !== undefined && !observedTypes.brokenChecks.has(broken)) {
    observedTypes.brokenChecks.add(broken);
    log(`${label} is copied again without the check ${broken}: rows of the source break it`);
    return;
  }
  const computed = plan.columns.filter(({ generated }) => generated);
  if (computed.length === 0) throw refusal;
  for (const { source } of computed)
    fillColumn(observedTypes, source.name, `the target did not take a row with it (${printable(words)})`);
  log(`${label} is copied again with the source's values in its generated columns: ${words}`);
}

/** The check of ours that the server names, as it is: a name may have dots and quotes of its own. */
function brokenCheck({ checks }: TablePlan, words: string): string | undefined {
  const names = checks.map(
    (line) => /^CONSTRAINT `((?:[^`]|``)+)` CHECK /.exec(line)?.[1]?.replaceAll("``", "`") ?? "",
  );
  return names.find((name) =>
    [name, name.replaceAll("`", "``")]
      .flatMap((one) => [one, printable(one)])
      .some(
        (shown) =>
          words.includes(`constraint '${shown}' is violated`) || words.includes(`CONSTRAINT \`${shown}\` failed`),
      ),
  );
}

/** A generated column is to have the source's values. */
export const fillColumn = ({ columns }: Pick<ObservedTypes, "columns">, column: string, why: string): void =>
  void columns.set(column, { ...(columns.get(column) ?? nothingObserved), plain: why });

async function digitsIn(
  reader: Reader,
  column: string,
  relations: readonly string[],
): Promise<{ before: number; after: number }> {
  const name = sourceIdentifier(column);
  const digits = { before: 1, after: 0 };
  for (const from of relations) {
    const [row] = await reader.query<{ before: number | null; after: number | null }>(
      `SELECT max(pg_catalog.length(pg_catalog.trunc(pg_catalog.abs(${name}))::pg_catalog.text)) AS before, max(pg_catalog.scale(${name})) AS after
         ${from} WHERE ${name}::pg_catalog.text !~ '[NI]'`,
    );
    digits.before = Math.max(digits.before, row?.before ?? 0);
    digits.after = Math.max(digits.after, row?.after ?? 0);
  }
  return digits;
}

/** The warning about values that became NULL. */
export const lostValuesMessage = (table: TableDefinition, column: string, lost: number): string =>
  `column ${tableName(table)}.${column}: ${lost} values that MySQL does not know became NULL`;

/** The warning about documents that MySQL's JSON does not keep. */
export const roundedValuesMessage = (table: TableDefinition, column: string, rounded: number): string =>
  `column ${tableName(table)}.${column}: ${rounded} ${rounded === 1 ? "value has" : "values have"} numbers that MySQL's JSON does not keep (more digits than a double has, or -0); LONGTEXT in options.types keeps them as text`;

/** The warning about objects that MySQL's JSON does not keep. */
export const doubledKeysMessage = (table: TableDefinition, column: string, doubled: number): string =>
  `column ${tableName(table)}.${column}: ${doubled} ${doubled === 1 ? "value has an object" : "values have objects"} with the same key twice, of which MySQL's JSON keeps the last value; LONGTEXT in options.types keeps them as text`;
