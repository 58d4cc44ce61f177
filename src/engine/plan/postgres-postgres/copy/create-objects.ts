import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { doubledIn, engineError, serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { identifier, literal } from "../../../postgres/driver/names.ts";
import { madeDisabled } from "../../../postgres/fence/event-triggers.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { actAs, ownerStays } from "../../../postgres/target/owners.ts";
import { type Fence, transacted } from "../../../run/fence/fence.ts";
import { duplicateKey } from "../../../run/load-error.ts";
import { batches } from "../../../run/memory/packed.ts";
import { firstStatementEnd, ownerStatement, type Step } from "../schema/entries.ts";

/** Makes the schema's objects in the target: in batches under the fence, each recorded before it is made. */

export interface ObjectTarget {
  session: Session;
  /** Without one nothing is recorded: a restore into a database of its own. */
  fence: Fence<Session> | undefined;
  /** What the target has and the statements may name. */
  facts: TargetFacts;
  note(entry: InventoryEntry): void;
  warn(message: string): void;
  /** Steps were done. */
  did?(steps: number): void;
  /** Objects whose owner lacked a right on their schema; it may come with the rights that are granted last. */
  owed?: Owed[];
}

interface Owed {
  step: Step;
  statement: string;
}

export interface TargetFacts {
  user: string;
  /** server_encoding. */
  encoding: string;
  /** Roles that the user may give objects to. */
  roles: ReadonlySet<string>;
  /** All roles of the server. */
  known: ReadonlySet<string>;
  tablespaces: ReadonlySet<string>;
  /** Schemas and extensions that were there before the run. */
  schemas: ReadonlySet<string>;
  extensions: ReadonlySet<string>;
}

export async function readTargetFacts(session: Session): Promise<TargetFacts> {
  const [row] = await session.query<
    Record<"roles" | "known" | "tablespaces" | "schemas" | "extensions", string[]> & { user: string; encoding: string }
  >(
    `SELECT current_user::text AS user, pg_catalog.current_setting('server_encoding') AS encoding,
            ARRAY(SELECT rolname::text FROM pg_catalog.pg_roles WHERE ${actAs(session.version)}) AS roles,
            ARRAY(SELECT rolname::text FROM pg_catalog.pg_roles) AS known,
            ARRAY(SELECT spcname::text FROM pg_catalog.pg_tablespace WHERE pg_catalog.has_tablespace_privilege(oid, 'CREATE')) AS tablespaces,
            ARRAY(SELECT nspname::text FROM pg_catalog.pg_namespace) AS schemas,
            ARRAY(SELECT extname::text FROM pg_catalog.pg_extension) AS extensions`,
  );
  if (row === undefined) throw new EngineError("database_error", "the target did not answer");
  return {
    ...row,
    roles: new Set(row.roles),
    known: new Set(row.known),
    tablespaces: new Set(row.tablespaces),
    schemas: new Set(row.schemas),
    extensions: new Set(row.extensions),
  };
}

/** Objects a transaction: each holds locks until its end. */
const together = 100;

/**
 * Makes the steps in order: those of a transaction in one round trip, and once more one after the other when the server
 * refuses any. Errors: the first that is not tolerated, with the object's name.
 */
export async function applySteps(target: ObjectTarget, steps: Iterable<Step>): Promise<void> {
  for (const some of batches(steps, together)) {
    if (!(await applyTogether(target, some))) {
      // Another run into the target may have made a schema or an extension meanwhile.
      target.facts = await readTargetFacts(target.session);
      await transact(target, some, async () => {
        for (const step of some) await applyStep(target, step);
      });
    }
    target.did?.(some.length);
  }
}

function transact(target: ObjectTarget, steps: readonly Step[], work: () => Promise<void>): Promise<void> {
  const { session, fence } = target;
  // Without a fence nobody waits for event triggers to be enabled: they are made last.
  if (fence === undefined) return transacted(session, "BEGIN", work);
  return fenced(session, fence, async () => {
    await fence.record(
      session,
      steps.flatMap((step) => (step.made === undefined || isThere(target.facts, step) ? [] : [step.made])),
    );
    const watching = new Set(steps.flatMap(({ entry }) => (entry.kind === "EVENT TRIGGER" ? [entry.tag] : [])));
    if (watching.size === 0) return work();
    for (const mark of await madeDisabled(session, watching, work)) await fence.partDone(session, mark, 0);
  });
}

/** They end the session, or say that the server has no means for more. */
export const hopeless = /^(08|53|57P)/;

/** False: the server refused a statement, and nothing was made. */
async function applyTogether(target: ObjectTarget, steps: readonly Step[]): Promise<boolean> {
  if (steps.length < 2) return false;
  let settings = "";
  const statements = steps.flatMap((step) => {
    if (isThere(target.facts, step)) return [];
    const wanted = isRight(step) ? settings : placement(target, step);
    const text = `${wanted === settings ? "" : wanted}${step.entry.create}\n;${ownership(target, step) ?? ""};`;
    settings = wanted;
    return [text];
  });
  if (statements.length > 0) {
    try {
      await transact(target, steps, () => target.session.run(statements.join("\n")));
    } catch (error) {
      const state = sqlState(error);
      if (state === undefined || hopeless.test(state)) throw error;
      return false;
    }
  }
  for (const step of steps) {
    if (isThere(target.facts, step)) noteThere(target, step);
    else if (isRight(step)) target.note({ kind: "grants", name: printable(step.name), outcome: "copied" });
    else if (step.stage !== "never") target.note({ kind: step.kind, name: printable(step.name), outcome: "copied" });
  }
  return true;
}

const isRight = ({ kind }: Step) => kind === "acl" || kind === "default acl";

const isThere = (facts: TargetFacts, { entry }: Step) =>
  (entry.kind === "SCHEMA" && facts.schemas.has(entry.tag)) ||
  (entry.kind === "EXTENSION" && facts.extensions.has(entry.tag));

async function applyStep(target: ObjectTarget, step: Step): Promise<void> {
  const { session, note } = target;
  const { entry, kind, name } = step;
  if (isThere(target.facts, step)) return noteThere(target, step);
  if (isRight(step)) return applyRights(target, step);
  try {
    await attempt(target, step.tolerated, `${placement(target, step)}${entry.create}`);
  } catch (error) {
    if (!isTolerable(step, error)) throw failed(session, step, error);
    return reportRefused(target, step, error);
  }
  await giveToOwner(target, step);
  if (step.stage !== "never") note({ kind, name: printable(name), outcome: "copied" });
}

/** The server did not refuse it: another attempt may succeed. */
const passing = /^(08|40|53|55P03|57|58|XX)/;

export function isTolerable({ tolerated }: Pick<Step, "tolerated">, error: unknown): boolean {
  const state = sqlState(error);
  return tolerated && state !== undefined && !passing.test(state);
}

export function reportRefused(
  { note, warn }: Pick<ObjectTarget, "note" | "warn">,
  { entry, kind, name, stage }: Step,
  error: unknown,
): void {
  const refused = `the target refused it: ${serverMessage(error)}`;
  const definition = stage === "rights" ? {} : { definition: entry.create.slice(0, mostText) };
  note({ kind, name: printable(name), outcome: "reported", note: refused, ...definition });
  warn(`${kind} ${printable(name)} was not copied: ${serverMessage(error)}`);
}

/** Characters of a definition in the report. */
const mostText = 30_000;

const noteThere = ({ note }: ObjectTarget, { kind, name }: Step) =>
  note({ kind, name: printable(name), outcome: "copied", note: "was there already, and was left as it was" });

/** As applyStep, for one that failed: says which object it was. */
export function failed(session: Session, step: Pick<Step, "kind" | "name">, error: unknown): EngineError {
  // The script of an extension fills tables of its own.
  const doubled = step.kind === "extension" ? undefined : doubledIn(error);
  if (doubled !== undefined) return duplicateKey(doubled, serverMessage(error), error);
  const found = engineError(error, session.place);
  const code = found.code === "database_error" ? "schema_refused" : found.code;
  return new EngineError(code, `making ${step.kind} ${printable(step.name)}: ${found.message}`, {
    retryable: found.retryable,
    cause: error,
  });
}

/** Runs statements within the open transaction; when `guarded`, a failure leaves it usable. */
async function attempt(
  { session, fence }: Pick<ObjectTarget, "session" | "fence">,
  guarded: boolean,
  statements: string,
): Promise<void> {
  if (!guarded) return session.run(statements);
  await session.run("SAVEPOINT step");
  try {
    await session.run(statements);
    await fence?.wrote?.(session);
    await session.run("RELEASE SAVEPOINT step");
  } catch (error) {
    if (sqlState(error) !== undefined) await session.run("ROLLBACK TO SAVEPOINT step; RELEASE SAVEPOINT step");
    throw error;
  }
}

/** Settings that pg_restore would make before the statement: tablespace and access method are not part of it. */
export function placement(
  { facts, warn }: Pick<ObjectTarget, "facts" | "warn">,
  { entry, kind, name }: Pick<Step, "entry" | "kind" | "name">,
): string {
  const settings = ["SET LOCAL check_function_bodies = off"];
  const { tablespace, accessMethod } = entry;
  if (tablespace !== "" && !facts.tablespaces.has(tablespace)) {
    warn(
      `${kind} ${printable(name)} is in the default tablespace: the target has no tablespace ${printable(tablespace)} that may be used`,
    );
  }
  const usable = tablespace !== "" && facts.tablespaces.has(tablespace) ? tablespace : "";
  settings.push(`SET LOCAL default_tablespace = ${literal(usable)}`);
  if (accessMethod !== "") settings.push(`SET LOCAL default_table_access_method = ${identifier(accessMethod)}`);
  return `${settings.join("; ")};\n`;
}

/** As attempt, guarded: the server's refusal. */
const refusalOf = (target: Pick<ObjectTarget, "session" | "fence">, statement: string): Promise<unknown> =>
  attempt(target, true, statement).catch((error: unknown) => {
    if (sqlState(error) === undefined) throw error;
    return error;
  });

async function giveToOwner(target: ObjectTarget, step: Step): Promise<void> {
  const statement = ownership(target, step);
  const refusal = statement === undefined ? undefined : await refusalOf(target, statement);
  if (statement === undefined || refusal === undefined) return;
  if (target.owed === undefined) stays(target, step, refusal);
  else target.owed.push({ step, statement });
}

/** The statement that gives the object to its owner; undefined where it has none, or stays with the user. */
function ownership(target: ObjectTarget, step: Step): string | undefined {
  const { owner } = step.entry;
  if (isRight(step) || owner === target.facts.user) return undefined;
  const statement = ownerStatement(step.entry);
  if (statement === undefined || target.facts.roles.has(owner)) return statement;
  stays(target, step);
  return undefined;
}

function stays({ facts, warn }: ObjectTarget, { entry }: Step, refused?: unknown): void {
  const { owner, schema } = entry;
  const why = facts.known.has(owner) ? "not a member" : "unknown";
  warn(
    ownerStays(
      refused === undefined
        ? { owner, user: facts.user, why }
        : { owner, user: facts.user, why: "refused", schema, message: serverMessage(refused) },
    ),
  );
}

/** Of an earlier attempt, whose warnings are not stored: what was refused then is tried again, and warned of again. */
export function noteMade(target: ObjectTarget, steps: Iterable<Step>): void {
  for (const step of steps) {
    target.note({ kind: step.kind, name: printable(step.name), outcome: "copied" });
    const statement = ownership(target, step);
    if (statement !== undefined) target.owed?.push({ step, statement });
  }
}

/** Makes the rights, after which an owner may have the right on its schema that it lacked before. */
export async function applyRightSteps(target: ObjectTarget, steps: Iterable<Step>): Promise<void> {
  await applySteps(target, steps);
  const { session, fence, owed = [] } = target;
  for (const some of batches(owed.splice(0), together)) {
    const work = async () => {
      for (const { step, statement } of some) {
        const refusal = await refusalOf(target, statement);
        if (refusal !== undefined) stays(target, step, refusal);
      }
    };
    await (fence === undefined ? transacted(session, "BEGIN", work) : fenced(session, fence, work));
  }
}

/** Each GRANT on its own: a role that is missing costs only its own right. */
async function applyRights({ session, fence, note, warn }: ObjectTarget, { entry, kind, name }: Step): Promise<void> {
  const refused = new Set<string>();
  for (const statement of statementsOf(entry.create)) {
    const refusal = await refusalOf({ session, fence }, statement);
    if (refusal !== undefined) refused.add(serverMessage(refusal));
  }
  const what = `${kind === "acl" ? "rights on" : "default rights of"} ${printable(name)}`;
  if (refused.size === 0) return note({ kind: "grants", name: printable(name), outcome: "copied" });
  const why = [...refused].join("; ");
  note({ kind: "grants", name: printable(name), outcome: "reported", note: `the target refused some: ${why}` });
  warn(`${what} were not copied completely: ${why}`);
}

function statementsOf(sql: string): string[] {
  const statements: string[] = [];
  for (let rest = sql; rest.trim() !== ""; ) {
    const end = firstStatementEnd(rest);
    statements.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  return statements.filter((statement) => statement.trim() !== "");
}
