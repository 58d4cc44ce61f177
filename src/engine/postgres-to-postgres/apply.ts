import { EngineError, type InventoryEntry } from "../contract.ts";
import type { Fence } from "../fence.ts";
import type { Session } from "../postgres/connection.ts";
import { engineError, serverWords, sqlState } from "../postgres/errors.ts";
import { fenced } from "../postgres/fence.ts";
import { identifier, literal, printable } from "../postgres/names.ts";
import { firstStatementEnd, ownerStatement, type Step } from "./entries.ts";

/** Makes the schema's objects in the target: in batches under the fence, each recorded before it is made. */

export interface Target {
  session: Session;
  fence: Fence<Session>;
  /** What the target has and the statements may name. */
  facts: TargetFacts;
  note(entry: InventoryEntry): void;
  warn(message: string): void;
}

export interface TargetFacts {
  user: string;
  /** server_encoding. */
  encoding: string;
  /** Roles that the user may give objects to. */
  roles: ReadonlySet<string>;
  tablespaces: ReadonlySet<string>;
  /** Schemas and extensions that were there before the run. */
  schemas: ReadonlySet<string>;
  extensions: ReadonlySet<string>;
}

export async function readTargetFacts(session: Session): Promise<TargetFacts> {
  const [row] = await session.query<
    Record<"roles" | "tablespaces" | "schemas" | "extensions", string[]> & { user: string; encoding: string }
  >(
    `SELECT current_user::text AS user, pg_catalog.current_setting('server_encoding') AS encoding,
            ARRAY(SELECT rolname::text FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(oid, 'MEMBER')) AS roles,
            ARRAY(SELECT spcname::text FROM pg_catalog.pg_tablespace WHERE pg_catalog.has_tablespace_privilege(oid, 'CREATE')) AS tablespaces,
            ARRAY(SELECT nspname::text FROM pg_catalog.pg_namespace) AS schemas,
            ARRAY(SELECT extname::text FROM pg_catalog.pg_extension) AS extensions`,
  );
  if (row === undefined) throw new EngineError("database_error", "the target did not answer");
  return {
    user: row.user,
    encoding: row.encoding,
    roles: new Set(row.roles),
    tablespaces: new Set(row.tablespaces),
    schemas: new Set(row.schemas),
    extensions: new Set(row.extensions),
  };
}

/** Objects a transaction: each holds locks until its end. */
const batch = 100;

/** Makes the steps in order. Errors: the first that is not tolerated, with the object's name. */
export async function applySteps(target: Target, steps: readonly Step[]): Promise<void> {
  for (let start = 0; start < steps.length; start += batch) {
    const some = steps.slice(start, start + batch);
    const { session, fence } = target;
    await fenced(session, fence, async () => {
      await fence.record(
        session,
        some.flatMap((step) => (step.made === undefined || isThere(target.facts, step) ? [] : [step.made])),
      );
      for (const step of some) await applyStep(target, step);
    });
  }
}

const isThere = (facts: TargetFacts, { entry }: Step) =>
  (entry.kind === "SCHEMA" && facts.schemas.has(entry.tag)) ||
  (entry.kind === "EXTENSION" && facts.extensions.has(entry.tag));

async function applyStep(target: Target, step: Step): Promise<void> {
  const { session, facts, note } = target;
  const { entry, kind, name } = step;
  if (isThere(facts, step)) {
    note({ kind, name: printable(name), outcome: "copied", note: "was there already, and was left as it was" });
    return;
  }
  if (kind === "acl" || kind === "default acl") return applyRights(target, step);
  try {
    await attempt(session, step.tolerated, `${placement(target, step)}${entry.create}`);
  } catch (error) {
    if (!step.tolerated || sqlState(error) === undefined) throw failed(session, step, error);
    note({ kind, name: printable(name), outcome: "reported", note: `the target refused it: ${serverWords(error)}` });
    target.warn(`${kind} ${printable(name)} was not copied: ${serverWords(error)}`);
    return;
  }
  await giveToOwner(target, step);
  if (step.stage !== "never") note({ kind, name: printable(name), outcome: "copied" });
}

/** As applyStep, for one that failed: says which object it was. */
export function failed(session: Session, step: Pick<Step, "kind" | "name">, error: unknown): EngineError {
  const found = engineError(error, session.place);
  const code = found.code === "database_error" ? "schema_refused" : found.code;
  return new EngineError(code, `making ${step.kind} ${printable(step.name)}: ${found.message}`, {
    retryable: found.retryable,
    cause: error,
  });
}

/** Runs statements within the open transaction; when `guarded`, a failure leaves it usable. */
async function attempt(session: Session, guarded: boolean, statements: string): Promise<void> {
  if (!guarded) return session.run(statements);
  await session.run("SAVEPOINT step");
  try {
    await session.run(statements);
    await session.run("RELEASE SAVEPOINT step");
  } catch (error) {
    if (sqlState(error) !== undefined) await session.run("ROLLBACK TO SAVEPOINT step; RELEASE SAVEPOINT step");
    throw error;
  }
}

/** Settings that pg_restore would make before the statement: tablespace and access method are not part of it. */
export function placement(
  { facts, warn }: Pick<Target, "facts" | "warn">,
  { entry, kind, name }: Pick<Step, "entry" | "kind" | "name">,
): string {
  const settings = ["SET LOCAL check_function_bodies = off"];
  const { tablespace, accessMethod } = entry;
  if (tablespace !== "" && !facts.tablespaces.has(tablespace)) {
    warn(
      `${kind} ${printable(name)} stands in the default tablespace: the target has no tablespace ${printable(tablespace)} that may be used`,
    );
  }
  const usable = tablespace !== "" && facts.tablespaces.has(tablespace) ? tablespace : "";
  settings.push(`SET LOCAL default_tablespace = ${literal(usable)}`);
  if (accessMethod !== "") settings.push(`SET LOCAL default_table_access_method = ${identifier(accessMethod)}`);
  return `${settings.join("; ")};\n`;
}

async function giveToOwner({ session, facts, warn }: Target, { entry }: Step): Promise<void> {
  const statement = ownerStatement(entry);
  if (statement === undefined || entry.owner === facts.user) return;
  const why = () =>
    warn(
      `objects of role ${printable(entry.owner)} belong to ${printable(facts.user)} in the target, which has no such role that they could be given to`,
    );
  if (!facts.roles.has(entry.owner)) return why();
  await attempt(session, true, statement).catch((error: unknown) => {
    if (sqlState(error) === undefined) throw error;
    why();
  });
}

/** Each GRANT on its own: a role that is missing costs only its own right. */
async function applyRights({ session, note, warn }: Target, { entry, kind, name }: Step): Promise<void> {
  const refused = new Set<string>();
  for (const statement of statementsOf(entry.create)) {
    await attempt(session, true, statement).catch((error: unknown) => {
      if (sqlState(error) === undefined) throw error;
      refused.add(serverWords(error));
    });
  }
  const what = `${kind === "acl" ? "rights on" : "default rights of"} ${printable(name)}`;
  if (refused.size === 0) return note({ kind: "grants", name: printable(name), outcome: "copied" });
  const why = [...refused].join("; ");
  note({ kind: "grants", name: printable(name), outcome: "reported", note: `the target refused some: ${why}` });
  warn(`${what} were not copied whole: ${why}`);
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
