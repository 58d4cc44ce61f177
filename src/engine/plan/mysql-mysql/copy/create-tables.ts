import { EngineError } from "../../../contract/index.ts";
import { drawsNumbers } from "../../../mysql/definitions/code-sql.ts";
import type { Item } from "../../../mysql/definitions/definition.ts";
import { MysqlError } from "../../../mysql/driver/errors.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { createMarkedTable } from "../../../mysql/target/create.ts";
import { runTableDdl } from "../../../mysql/target/doubled-labels.ts";
import { isRefusedObject, schemaRefused } from "../../../mysql/target/refusal.ts";
import { duplicateKey } from "../../../run/load-error.ts";
import { createStatement, isNumbered, type TablePlan } from "../tables/table-plan.ts";

/**
 * Makes tables and their indexes on a server that may not take every word of the source's: what stands in the way of a
 * table is found by trying without it, and is given up alone.
 */

/** Refused for what it says, not for what is there: syntax, functions, types, lengths, combinations. */
const refusals = new Set([
  1064, 1069, 1070, 1071, 1074, 1089, 1101, 1115, 1118, 1121, 1128, 1167, 1170, 1171, 1178, 1193, 1214, 1235, 1253,
  1267, 1273, 1280, 1286, 1289, 1294, 1305, 1313, 1335, 1478, 1491, 1492, 1493, 1503, 1506, 1512, 1564, 1659, 1674,
  1681, 1709, 1795, 1901, 1903, 1904, 1905, 1906, 1907, 1908, 1909, 1910, 1911, 1913, 1914, 1915, 1918, 1920, 3102,
  3103, 3104, 3105, 3106, 3107, 3108, 3109, 3142, 3152, 3185, 3700, 3728, 3753, 3754, 3756, 3757, 3758, 3759, 3760,
  3761, 3763, 3765, 3766, 3770, 3771, 3772, 3773, 3774, 3812, 3813, 3814, 3815, 3816, 3818, 3820, 3823, 3826, 3950,
  4025, 4031, 4078, 4161,
]);

export const isRefusedStatement = (error: unknown): boolean => refusals.has(errorNumber(error) ?? 0);

/** A default may draw from a sequence of another database, which the target's server may not have. */
const lacksSequence = (error: unknown, { translated }: TablePlan): boolean =>
  errorNumber(error) === 1146 && translated.items.some(({ text }) => text !== undefined && drawsNumbers(text));

/** What may be given up so that the table can be made. */
function candidates({ translated, later }: TablePlan): Item[] {
  const built = new Set(later.flat());
  return translated.items.flatMap(({ source, text }) => {
    if (text === undefined || built.has(text)) return [];
    if (["check", "key", "unique", "fulltext", "spatial", "vector", "other"].includes(source.kind)) return [source];
    if (source.kind !== "column") return [];
    return / (?:GENERATED ALWAYS AS|DEFAULT|CHECK) \(/.test(text) || drawsNumbers(text) ? [source] : [];
  });
}

/** Attempts at a table, at most; what has more doubtful parts loses them all at once. */
const mostTries = 100;

/**
 * Makes the table and answers with the plan by which that was possible. `plan` is without the items that it is given. `strict`:
 * `on_object_error: fail`. Errors: `schema_refused`, `table_refused`.
 */
export async function makePlanned(
  session: Session,
  fence: MysqlFence,
  database: string,
  plan: (without: ReadonlySet<Item>) => TablePlan,
  strict: boolean,
): Promise<TablePlan> {
  const attempt: Attempt = async (without) => {
    const made = plan(without);
    try {
      const create = (comment: string) => createStatement(made, database, comment);
      await createMarkedTable(session, fence, [database, made.name], create, made.source.columns.some(isNumbered));
      return { made };
    } catch (error) {
      return { error };
    }
  };
  const whole = plan(new Set());
  const first = await attempt(new Set());
  if ("made" in first) return first.made;
  const { error } = first;
  if (!isRefusedStatement(error) && !lacksSequence(error, whole)) throw error;
  const drop = () => session.run(`DROP TABLE ${qualified(database, whole.name)}`);
  const made = await makeWithout(candidates(whole), attempt, drop);
  const table = whole.source.name;
  if (made === undefined)
    throw new EngineError("table_refused", `creating table ${table}: ${(error as Error).message}`, { cause: error });
  const [lost] = made.without;
  if (strict && lost !== undefined) throw schemaRefused(`${lost.kind} ${table}.${lost.name}`, error as EngineError);
  return made;
}

type Attempt = (without: ReadonlySet<Item>) => Promise<{ made: TablePlan } | { error: unknown }>;

/** The table without as few of the doubtful items as can be found out; undefined where it cannot be made without them either. */
async function makeWithout(
  doubtful: readonly Item[],
  attempt: Attempt,
  drop: () => Promise<unknown>,
): Promise<TablePlan | undefined> {
  if (doubtful.length <= mostTries) {
    for (const item of doubtful) {
      const found = await attempt(new Set([item]));
      if ("made" in found) return found.made;
    }
    const given = new Set<Item>();
    for (const item of doubtful) {
      given.add(item);
      const found = await attempt(given);
      if ("made" in found) return takeBack(given, found.made);
    }
  }
  /** Several things stand in the way, and others were given up before the last of them: these may come back. */
  async function takeBack(given: Set<Item>, made: TablePlan): Promise<TablePlan> {
    let best = made;
    let there = true;
    for (const item of given) {
      if (there) await drop();
      const found = await attempt(new Set([...given].filter((other) => other !== item)));
      there = "made" in found;
      if (!("made" in found)) continue;
      given.delete(item);
      best = found.made;
    }
    if (there) return best;
    const again = await attempt(given);
    if ("made" in again) return again.made;
    throw again.error;
  }
  const last = await attempt(new Set(doubtful));
  return "made" in last ? last.made : undefined;
}

/**
 * Builds the indexes that were left for later; answers with those that the server refuses, each with its words. `strict`:
 * `on_object_error: fail`. Errors: `duplicate_key`, `schema_refused`.
 */
export async function buildIndexes(
  session: Session,
  fence: MysqlFence,
  database: string,
  plan: TablePlan,
  strict: boolean,
): Promise<{ text: string; why: string }[]> {
  const refused: { text: string; why: string }[] = [];
  const add = (texts: readonly string[]) =>
    runTableDdl(
      session,
      `ALTER TABLE ${qualified(database, plan.name)} ${texts.map((text) => `ADD ${text}`).join(", ")}`,
    );
  for (const texts of plan.later) {
    await fence.guard(session);
    try {
      await add(texts);
    } catch (error) {
      if (!isRefusedStatement(error) && !isRefusedObject(error)) throw indexError(error, plan.source.name);
      for (const text of texts) {
        try {
          await add([text]);
        } catch (one) {
          if (!isRefusedStatement(one) && !isRefusedObject(one)) throw indexError(one, plan.source.name);
          if (strict || (isUnique(text) && !isRefusedStatement(one)))
            throw schemaRefused(`index ${plan.source.name}.${nameOfIndex(text)}`, one as EngineError);
          refused.push({ text, why: serverMessage(one) });
        }
      }
    }
  }
  return refused;
}

/** As in `UNIQUE KEY`. */
export const isUnique = (text: string): boolean => /^(?:UNIQUE|PRIMARY) /.test(text);

export const nameOfIndex = (text: string): string => /`((?:[^`]|``)*)`/.exec(text)?.[1] ?? "";

export function serverMessage(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof MysqlError ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function indexError(error: unknown, table: string): unknown {
  if (!(error instanceof EngineError)) return error;
  if (error.code === "data_refused") return duplicateKey(table, error.message, error);
  return error.code === "database_error"
    ? new EngineError(error.code, `indexes of table ${table}: ${error.message}`, { cause: error.cause })
    : error;
}

/** `` (`a`,`b`) `` */
export const columnList = (names: readonly string[]): string => `(${names.map(identifier).join(",")})`;
