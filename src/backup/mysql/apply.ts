import { printable } from "../../engine/contract/text/printable.ts";
import { definedBy } from "../../engine/mysql/definitions/code-sql.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { errorNumber, isDenied } from "../../engine/mysql/driver/write-session.ts";
import { serverMessage } from "../../engine/plan/mysql-mysql/copy/create-tables.ts";
import { readTarget } from "../../engine/plan/mysql-mysql/copy/target.ts";
import {
  definerNotAllowed,
  definerOf,
  definerRefused,
  missing,
} from "../../engine/plan/mysql-mysql/finish/create-code.ts";
import { BackupError } from "../contract.ts";
import type { ArchivePart } from "../manifest-schema.ts";
import { notMade } from "../target.ts";
import { createAllowed } from "./allowed.ts";

/** Statements of an archive, run in a target. They are untrusted input: only those that Rowferry writes are run. */

export interface Apply {
  /** A statement of the schema or the finish. */
  define(session: Session, statement: string): Promise<void>;
  /** A statement of rows, and what it did. Errors: `data_refused`. */
  insert(session: Session, statement: Buffer, part: ArchivePart): Promise<{ affected: number; warnings: number }>;
}

/** Settings are short. */
const mostSetting = 1024;

export async function createApply(
  session: Session,
  options: {
    database: string;
    warn(message: string): void;
    /** There are tables of others, whose database keeps its default. */
    isFilled: boolean;
  },
): Promise<Apply> {
  const { warn, isFilled } = options;
  const allowed = createAllowed();
  const target = await readTarget(session, options.database);
  const accounts = { definers: "keep" as const, accounts: target.accounts, self: target.self };
  const run = async (on: Session, statement: string): Promise<void> => {
    await on.run(statement).catch((error: unknown) => {
      throw named(error, statement);
    });
  };
  const collation = { wanted: target.collation, made: target.collation, denied: isFilled, said: new Set<string>() };
  const setCollation = async (on: Session, statement: string): Promise<void> => {
    collation.wanted = statement.slice(statement.lastIndexOf(" ") + 1);
    if (collation.denied || collation.wanted === collation.made) return;
    try {
      await on.run(statement);
      collation.made = collation.wanted;
    } catch (error) {
      if (!isDenied(error)) throw named(error, statement);
      collation.denied = true;
      warn(`the default collation of the database is not changed: the target's user may not ALTER DATABASE`);
    }
  };
  /** Views have no variables. */
  const sayCollation = (what: string): void => {
    const { wanted, made, said } = collation;
    if (wanted === made || what.startsWith("view ") || said.has(wanted)) return;
    said.add(wanted);
    warn(
      `${what}, and other code that was made with the default collation ${wanted}: variables and parameters without a character set have the target database's default, ${made}`,
    );
  };
  return {
    async define(on, statement) {
      if (!allowed.defines(statement)) throw unknown(statement);
      if (statement.startsWith("ALTER DATABASE ")) return setCollation(on, statement);
      const defined = definedBy(statement);
      if (defined === undefined) return run(on, statement);
      const what = nameOf(statement);
      sayCollation(what);
      const { sql: account, note } = definerOf(accounts, defined);
      if (note !== undefined) warn(`${what}: ${note}`);
      const make = (as: string) =>
        on.run(defined.by(as)).catch((error: unknown) => {
          // The comparison with the manifest decides whether it had to be made.
          if (!what.startsWith("view ") || !missing.has(errorNumber(error) ?? 0)) throw error;
          warn(`${what}${notMade}what it refers to is not there (${serverMessage(error)})`);
        });
      try {
        await make(account);
      } catch (error) {
        if (account === "CURRENT_USER" || !definerRefused.has(errorNumber(error) ?? 0)) throw named(error, statement);
        warn(`${what}: ${definerNotAllowed(accounts, `${defined.definer.user}@${defined.definer.host}`)}`);
        await make("CURRENT_USER").catch((second: unknown) => {
          throw named(second, statement);
        });
      }
    },
    async insert(on, statement, { name: part, tolerated }) {
      if (!allowed.inserts(statement)) {
        const text = statement.length > mostSetting ? "" : statement.toString();
        if (!allowed.sets(text)) throw unknown(statement.toString("utf8", 0, mostSetting));
        await run(on, text);
        return { affected: 0, warnings: 0 };
      }
      const done = await on.run(statement).catch((error: unknown) => {
        if (errorNumber(error) === undefined || !(error instanceof Error)) throw error;
        throw new BackupError("data_refused", `part ${part}: ${error.message}`, { cause: error });
      });
      if (done.warnings === 0) return done;
      const said = (await on.query("SHOW WARNINGS")).filter(
        ([, number, words]) =>
          !(number === "1265" && tolerated?.columns.some((column) => words?.includes(`'${column}'`))),
      );
      if (said.length === 0) return done;
      const words = said.slice(0, 5).map(([, number, text]) => `${printable((text ?? "").slice(0, 200))} (${number})`);
      throw new BackupError("data_refused", `part ${part}: the target changed values: ${words.join("; ")}`);
    },
  };
}

/** As in `view a`, for messages. */
const nameOf = (statement: string): string => {
  const [, kind = "", of = ""] =
    /\b(VIEW|FUNCTION|PROCEDURE|PACKAGE BODY|PACKAGE|TRIGGER|EVENT) (`(?:[^`]|``)*`|\S+)/.exec(statement) ?? [];
  return `${kind.toLowerCase()} ${of.replaceAll(/^`|`$/g, "")}`;
};

const mostShown = 200;

const unknown = (statement: string) =>
  new BackupError(
    "archive_damaged",
    `the archive has a statement that Rowferry does not write: ${printable(statement).slice(0, mostShown)}. Restore another run`,
  );

/** The server's error, with the statement that it is about. */
function named(error: unknown, statement: string): unknown {
  if (errorNumber(error) === undefined || !(error instanceof Error)) return error;
  return new BackupError(
    "object_refused",
    `the target refuses ${JSON.stringify(printable(statement).slice(0, mostShown))}: ${error.message}`,
    { cause: error },
  );
}
