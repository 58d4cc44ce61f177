import type { Session } from "../../mysql/driver/session.ts";
import { keylessTables } from "../../mysql/target/keyless.ts";
import type { ReportFinding } from "../finding.ts";
import { reportRefused } from "../name-conflicts.ts";

/** Tables that the target refuses, or gives a key that the source does not have. */
export const reportKeyless = (
  session: Session,
  tables: readonly string[],
  report: ReportFinding,
  exactly = false,
): Promise<void> =>
  reportRefused(report, "tables without a primary key", async () => {
    for (const { reason, fix } of await keylessTables(session, tables, exactly))
      report("warning", "invisible_keys", "sql_generate_invisible_primary_key", reason, fix);
  });
