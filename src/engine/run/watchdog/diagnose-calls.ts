import { diagnoseMysql } from "./mysql.ts";
import { diagnosePostgres } from "./postgres.ts";
import type { WaitingCall } from "./replies.ts";
import type { Diagnose } from "./watchdog.ts";

/** Asks a server for these of its sessions alone. */
export const diagnoseCalls = ({ endpoint, role }: WaitingCall, ids: readonly number[]): Diagnose =>
  endpoint.engine === "mysql"
    ? diagnoseMysql(endpoint, { role, threads: () => ids })
    : diagnosePostgres(endpoint, { role, processes: ids });
