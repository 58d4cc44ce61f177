import type { SourceSnapshot } from "../contract/index.ts";

/** How the source was read, and where its own log has that state: for the report and a run's log. */
export function formatSnapshot({ connections, binlog, gtid, lsn, transactions }: SourceSnapshot): string {
  const parts = [
    `read by ${connections} connection${connections === 1 ? "" : "s"}`,
    binlog && `binary log ${binlog.file}:${binlog.offset}`,
    gtid && `GTID ${gtid}`,
    lsn && `LSN ${lsn}`,
    transactions && `transactions ${transactions}`,
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}
