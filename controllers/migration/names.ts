import { child } from "../jobs/names.ts";

/** Name of the ConfigMap with a run's report: `<migration>-<run>-report`. */
export const reportName = (migration: string, run: number): string => child(migration, `${run}-report`);
