/**
 * How long a copy may take: a table of 762 MB with four indexes on two cores, servers and engine together on one machine,
 * took the program that people used before so many seconds, and `npm run bench` holds Rowferry to this share of them
 * (docs/performance.md says what a time includes).
 */
const bench = {
  "mysql postgres": { beside: "pgloader", seconds: 77.9, share: 0.3 },
  "postgres postgres": { beside: "pg_dump piped to pg_restore", seconds: 23.0, share: 0.8 },
  "mysql mysql": { beside: "mydumper and myloader", seconds: 35.5, share: 0.85 },
  "postgres mysql": { beside: "LOAD DATA LOCAL of the text", seconds: 37.1, share: 1 },
} as const;
const benchMegabytes = 762;

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
  const { beside, seconds, share: part } = bench[`${source} ${target}`];
  const rate = Math.round(benchMegabytes / (seconds * part));
  const streams = Math.min(jobs, 4) / 2;
  const trips = (tables * tripsPerTable * (latency.source + latency.target)) / 1000 / Math.max(1, jobs);
  const megabytes = size / 1e6;
  const limit = bandwidth === undefined || bandwidth === 0 ? 0 : size / bandwidth;
  const reading = checksum ? 1.5 : 1;
  const at = (share: number) =>
    baseSeconds + trips + Math.max(limit, (megabytes / (rate * share * Math.max(0.5, streams))) * reading);
  return {
    seconds: { least: Math.round(at(fastest)), most: Math.ceil(at(slowest)) },
    basis: `${rate} MB a second with two streams on two cores, a third to three times as fast: ${part === 1 ? "the time" : `${part} of the time`} that ${beside} took for ${benchMegabytes} MB with four indexes (${seconds} s), by which npm run bench measures; no rows were sampled; ${jobs} streams; ${Math.round(megabytes)} MB in ${tables} tables; ${latency.source.toFixed(1)} and ${latency.target.toFixed(1)} ms to the servers${limit > 0 ? "; the bandwidth's limit" : ""}${checksum ? "; with a comparison of all values" : ""}`,
  };
}
