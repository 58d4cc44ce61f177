export interface RunCodeEntry {
  /** Another attempt may succeed without a person; `depends` where the place that makes the error says it. No if absent. */
  retryable?: "yes" | "depends";
  /** What happened: one sentence without a full stop. */
  means: string;
  /** What a person does about it; likewise. */
  fix: string;
  /** Earlier names of the same fact: stored results may still have them. */
  formerly?: readonly string[];
}
