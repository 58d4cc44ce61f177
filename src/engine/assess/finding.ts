import type { RunCode } from "../contract/codes/index.ts";
import type { InventoryEntry } from "../contract/index.ts";

/** Something to know before a copy: `blocker` ends it, `warning` loses something, `note` changes something. */
export type Finding = {
  /** The object as the source calls it, or the server's setting or right. */
  object: string;
  reason: string;
  /** What to do about it; empty where nothing needs to be done. */
  fix: string;
} & (
  | { severity: "blocker"; code: RunCode }
  /** A code of the assessment alone: stable, in snake_case. */
  | { severity: "warning" | "note"; code: string }
);

export type Severity = Finding["severity"];

/** A blocker's code is that with which a copy would end. */
export type ReportFinding = <Said extends Severity>(
  severity: Said,
  code: "blocker" extends Said ? RunCode : string,
  object: string,
  reason: string,
  fix?: string,
) => void;

/** What the report will say of an object, without its text. */
export interface PlannedObject {
  kind: string;
  name: string;
  outcome: "copied" | "converted" | "reported" | "not_applicable";
  note?: string;
}

/** The reason with its object in front, unless the reason begins with it. */
export const findingText = ({ object, reason }: Pick<Finding, "object" | "reason">): string =>
  reason.startsWith(`${object} `) ? reason : `${object}: ${reason}`;

export const withoutText = ({ definition: _, ...entry }: InventoryEntry): PlannedObject => entry;

type Fate = Required<Pick<InventoryEntry, "outcome" | "note">>;

/** The copy also counts its rows, and reports a view that shows another number. */
export const translatedView = (notes: readonly string[]): Fate => ({
  outcome: "converted",
  note: ["translated", ...notes].join("; "),
});
export const untranslatedView = (reason: string): Fate => ({ outcome: "reported", note: `not translated: ${reason}` });
