/**
 * How long a copy may take. Rates are megabytes of the source's size a second, as measured on two cores with servers
 * and engine together on one machine and a table of 762 MB with four indexes: the totals of engine.md's targets.
 */
const rates = {
  "mysql postgres": 33,
  "postgres postgres": 41,
  "mysql mysql": 25,
  "postgres mysql": 20,
} as const;

/** Larger machines are faster; full disks, slow networks and many indexes are slower. */
const [fastest, slowest] = [3, 1 / 3];
/** Statements for a table on either side, each a round trip: its definition, rows, indexes, keys, counts. */
const tripsPerTable = 14;
/** What a copy of nothing takes: connections, catalogues, checkpoint. */
const baseSeconds = 1;

export interface Load {
  source: "mysql" | "postgres";
  target: "mysql" | "postgres";
  /** Bytes. */
  size: number;
  tables: number;
  jobs: number;
  /** Milliseconds for a round trip. */
  latency: { source: number; target: number };
  /** Bytes a second at most. */
  bandwidth?: number | undefined;
  /** Values are compared at the end: both sides are read once more. */
  checksum: boolean;
}

export interface Estimate {
  seconds: { least: number; most: number };
  basis: string;
}

export function estimateTime(load: Load): Estimate {
  const { source, target, size, tables, jobs, latency, bandwidth, checksum } = load;
  const rate = rates[`${source} ${target}`];
  const streams = Math.min(jobs, 4) / 2;
  const trips = (tables * tripsPerTable * (latency.source + latency.target)) / 1000 / Math.max(1, jobs);
  const megabytes = size / 1e6;
  const limit = bandwidth === undefined || bandwidth === 0 ? 0 : size / bandwidth;
  const reading = checksum ? 1.5 : 1;
  const at = (share: number) =>
    baseSeconds + trips + Math.max(limit, (megabytes / (rate * share * Math.max(0.5, streams))) * reading);
  return {
    seconds: { least: Math.round(at(fastest)), most: Math.ceil(at(slowest)) },
    basis: `${rate} MB a second, measured on two cores with two streams, a third to three times as fast; ${jobs} streams; ${Math.round(megabytes)} MB in ${tables} tables; ${latency.source.toFixed(1)} and ${latency.target.toFixed(1)} ms to the servers${limit > 0 ? "; the bandwidth's limit" : ""}${checksum ? "; with a comparison of all values" : ""}`,
  };
}
