import { numberText } from "../../guard/text.ts";

/**
 * How long a copy may take. What `npm run bench` measured (docs/performance.md says what a time includes): a table of 3,000,000
 * rows, 762 MB of text, with four indexes, and 200 tables of 250 rows; two jobs on two quiet cores that servers and engine shared.
 */
const bench = {
  "mysql postgres": { table: 13.0, many: 2.4 },
  "postgres postgres": { table: 12.1, many: 2.2 },
  "mysql mysql": { table: 25.2, many: 2.6 },
  "postgres mysql": { table: 21.5, many: 2.8 },
} as const;
/** The table with its indexes, by the source's own statistics. */
const benchMegabytes = { mysql: 1263, postgres: 1192 };
const benchTables = 200;

/** What a copy of nothing takes: connections, catalogues, checkpoint. */
const baseSeconds = 0.8;
/** Larger machines are faster; full disks and many indexes are slower. */
const [fastest, slowest] = [2, 1 / 3];
/** Statements for a table on either side, each a round trip: its definition, rows, indexes, keys, counts. */
const tripsPerTable = 14;
const mostStreams = 4;

export interface Load {
  source: "mysql" | "postgres";
  target: "mysql" | "postgres";
  /** Bytes, with indexes. */
  size: number;
  /** Bytes without. */
  data: number;
  tables: number;
  jobs: number;
  /** Milliseconds for a round trip. */
  latency: { source: number; target: number };
  /** Bytes a second in one stream, where they were measured. */
  measured: { reading?: number | undefined; sending?: number | undefined };
  /** Bytes a second at most. */
  bandwidth?: number | undefined;
  /** Values are compared at the end: both sides are read once more. */
  checksum: boolean;
  /** No rows are copied. */
  rowless: boolean;
}

interface DurationEstimate {
  seconds: { least: number; most: number };
  basis: string;
}

export function estimateTime(load: Load): DurationEstimate {
  const { source, target, tables, jobs, latency, measured, bandwidth = 0, checksum, rowless } = load;
  const { table, many } = bench[`${source} ${target}`];
  const rate = benchMegabytes[source] / table;
  const each = (many - baseSeconds) / benchTables;
  const [size, data] = rowless ? [0, 0] : [load.size, load.data];
  const streams = Math.min(Math.max(1, jobs), mostStreams);
  const trips = (tables * tripsPerTable * (latency.source + latency.target)) / 1000 / Math.max(1, jobs);
  const limit = bandwidth === 0 ? 0 : data / bandwidth;
  // One stream's rate may be the line's, or the stream's own: then several are as many times as fast.
  const slowestWay = Math.max(...Object.values(measured).map((bytes = Number.POSITIVE_INFINITY) => data / bytes), 0);
  const at = (share: number, together: number) => {
    const working = (size / 1e6 / (rate * share * Math.max(0.5, streams / 2))) * (checksum ? 1.5 : 1);
    return baseSeconds + tables * each + trips + Math.max(limit, working, slowestWay / together);
  };
  const most = at(slowest, 1);
  return {
    seconds: { least: Math.round(at(fastest, streams)), most: Math.ceil(most) },
    basis: basisOf(load, { rate, each }),
  };
}

const words = (rate: number) => (rate < 9.5 ? rate.toFixed(1) : numberText(Math.round(rate)));

/** Short enough for a Migration's status. */
function basisOf({ measured, latency, bandwidth = 0, checksum }: Load, { rate, each }: { rate: number; each: number }) {
  const { reading, sending } = measured;
  const rates = [
    ...(reading === undefined ? [] : [`${words(reading / 1e6)} MB/s from the source`]),
    ...(sending === undefined ? [] : [`${words(sending / 1e6)} MB/s to the target`]),
    `round trips of ${latency.source.toFixed(1)} ms (source) and ${latency.target.toFixed(1)} ms (target)`,
  ];
  return [
    `Assumed: ${words(rate)} MB/s and ${Math.round(each * 1000)} ms per table, up to twice as fast or three times as slow.`,
    `Measured: ${rates.join(", ")}.`,
    ...(bandwidth > 0 ? ["The option bandwidth limits the rate."] : []),
    ...(checksum ? ["All values are compared."] : []),
  ].join(" ");
}
