import type { AssessmentDocument, BoundedAssessment } from "../resources/assessment.ts";
import type { Options } from "../resources/options.ts";

/** One database as a caller named it; checked by guard/ before it is handed on. */
export interface ProbedDatabase {
  url: string;
  /** PEM of a private CA. */
  ca?: string;
}

/** Why a database could not be asked, or with side null why both were asked in vain; `message` is for the caller and holds no secret. */
export interface Unreachable {
  side: "source" | "target" | null;
  code: string;
  message: string;
}

export interface ConnectionFacts {
  engine: "MySQL" | "MariaDB" | "PostgreSQL";
  version: string;
  tls: boolean;
  latencyMs: number;
}

/** What a restore would meet. */
export interface RestoreTargetFacts {
  engine: ConnectionFacts["engine"];
  version: string;
  /** Tables, views and sequences of the user's. */
  objects: number;
}

/** Very long lists are cut in the assessment, which a finding then says; `counts` are of all that was found. */
export interface Assessed {
  assessment: AssessmentDocument;
  counts: BoundedAssessment["counts"];
  /** Bytes of the complete source, also where the options skip some tables: the price depends on it. */
  size: number;
}

/** Of a pair that cannot be assessed: why, and the facts of each side that was reached. */
export interface SideProbe {
  unreachable: Unreachable[];
  source?: ServerFacts & { size: number; tables: number; rows: number };
  target?: ServerFacts & { empty: boolean };
}
type ServerFacts = Omit<ConnectionFacts, "tls">;

/** For whom a probe is. */
export interface ProbeFor {
  /** Name of the Account: one has a share of the prober only. */
  account: string;
  /** Stands in the prober's log. */
  requestId: string;
  /** Aborts when nobody waits for the answer any more; then the probe ends. */
  signal: AbortSignal;
}

/** What a verb knows of the request that it answers. */
export type ProbeCaller = Pick<ProbeFor, "requestId" | "signal">;

/**
 * The way to the prober, the only one that dials a user's host for the API. Each throws Problem `busy` when too much is asked at once
 * and `unavailable` when the prober does not answer.
 */
export interface Prober {
  /** The engine's assessment, or why one of the two cannot be asked. */
  preflight(
    pair: { source: ProbedDatabase; target: ProbedDatabase },
    options: Options,
    asked: ProbeFor,
  ): Promise<Assessed | SideProbe>;
  /** The source's size in bytes. */
  measure(source: ProbedDatabase, asked: ProbeFor): Promise<{ size: number } | { unreachable: Unreachable[] }>;
  test(database: ProbedDatabase, asked: ProbeFor): Promise<ConnectionFacts | { unreachable: Unreachable[] }>;
  /** A restore's target, before anything is written to it. */
  target(database: ProbedDatabase, asked: ProbeFor): Promise<RestoreTargetFacts | { unreachable: Unreachable[] }>;
}
