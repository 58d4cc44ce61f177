import type { CopyOptions, Endpoint } from "../contract/index.ts";
import type { PlannedObject } from "../plan/types.ts";
import type { OpenedDatabase } from "../run/open-database.ts";
import type { Claimed } from "./claimed.ts";
import type { ServerSettings } from "./mysql/limits.ts";
import type { Dropped } from "./rows-dropped.ts";
import type { Sampled } from "./sample.ts";

/** What an assessment asks of two servers, and what it finds. Shapes only. */

/** Both servers of a direction, looked at together. */
export type Sides = { source: OpenedDatabase; target: OpenedDatabase };

export interface TargetFindings {
  /** Bytes and rows by statistics. */
  size: number;
  rows: number;
  /** Bytes without indexes. */
  data: number;
  tables: number;
  largest: Sampled | undefined;
  /** The target has nothing of the user's. */
  empty: boolean;
  free: number | null;
  /** What options.drop takes from it. */
  drops: Dropped;
  /** Of a MySQL target: its settings, and whether the source has columns for long values. */
  packet?: { settings: ServerSettings; long: boolean };
  objects: PlannedObject[];
  samples: string[];
}

export interface Request {
  source: Endpoint;
  target: Endpoint;
  options: CopyOptions;
  /** The run that would copy: what other runs claim in the target is in its way. Without it nobody's claims are looked at. */
  owner?: string;
  /** pg_dump's major version, where it is known already: else it is asked. */
  pgDump?: number | undefined;
  /** Bytes that pg_dump may take, where others are asked beside it: a schema that needs more stands in no copy's way. */
  dumpBytes?: number | undefined;
}

/** With what other runs claim in the target. */
export type PairRequest = Request & { claimed: Claimed };
