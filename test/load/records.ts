import type { Client } from "./mix.ts";

/** What the process of the callers is told and tells. Times are milliseconds since 1970, with fractions. */

export interface Load {
  clients: Client[];
  /** PEM of the operator's CA. */
  ca: string;
  /** Requests a second. */
  rate: number;
  /** Streams of events that are open meanwhile. */
  streams: number;
  seed: number;
  /** Requests on their way at the same time; without it, as many as come. */
  mostAtOnce?: number;
  /** Milliseconds that an answer, or the first byte of a stream, may take. */
  patience: number;
}

/** Why a request failed that nobody answered within `patience`. */
export const unanswered = "no answer in time";

export interface Command {
  load?: Load;
  /** Of the replicas that are ready. */
  ports?: number[];
  /** The records are the answer. */
  stop?: true;
}

export interface Noted {
  operation: string;
  /** When it was meant to begin; of a stream that broke, when it did. */
  at: number;
  ms: number;
  /** Why it did not get the answer that is right. */
  failed?: string;
}
