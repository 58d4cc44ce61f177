import type { CopyReport } from "../../../src/engine/contract/index.ts";
import type { Place } from "../../chaos/contents.ts";
import type { Engine } from "../kinds/index.ts";
import type { Column, View } from "../table.ts";

/** What the comparisons share: a stop on the way of a case's copies, and a table as it was found there. */

/** The numbers of rows that each view shows. */
export type Shown = ReadonlyMap<View, string>;

/** Texts that the source's server gave, by the expressions that it was asked. */
export type Letters = ReadonlyMap<string, string>;

/** `names`: of each table of the case, what it is called in the place, `before`: in the one it came from; `passed`: the engines since the source, this one too. */
export interface Stop {
  place: Place;
  engine: Engine;
  origin: Engine;
  passed: readonly Engine[];
  names: ReadonlyMap<string, string>;
  before: ReadonlyMap<string, string>;
  report: CopyReport;
  /** Columns, indexes, checks, partitions that were lost on the way, or lost something, as a report said; grows. */
  givenUp: Set<unknown>;
  shown: Shown;
  /** The source's. */
  letters: Letters;
  /** What a column was called in the place that the copy came from; grows. */
  called: Map<Column, string>;
}

/** A table of the place. */
export interface Found {
  /** As SQL names it. */
  from: string;
  name: string;
  columns: string[];
  /** Of each column. */
  nullable: boolean[];
}
