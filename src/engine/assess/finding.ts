/** Something to know before a copy: `blocker` ends it, `warning` loses something, `note` changes something. */
export interface Finding {
  severity: "blocker" | "warning" | "note";
  /** Stable, in snake_case. */
  code: string;
  /** The object as the source calls it, or the server's setting or right. */
  object: string;
  reason: string;
  /** What to do about it; empty where nothing needs to be done. */
  mend: string;
}

export type Say = (severity: Finding["severity"], code: string, object: string, reason: string, mend?: string) => void;

export interface PlannedObject {
  kind: string;
  name: string;
  outcome: "copied" | "converted" | "reported" | "not_applicable";
  note?: string;
}
