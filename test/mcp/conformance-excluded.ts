/** Scenarios of the official suite that are made for its own fixture server, or for parts of the protocol that are optional, with the reason. */
const reasons = {
  tool: "calls a tool of the suite's fixture server",
  resources: "resources are not declared: both servers have tools alone",
  prompts: "prompts are not declared: both servers have tools alone",
  completions: "completions are not declared: there are no prompts and no resource templates to complete",
  logging: "logging is not declared: log lines are an answer of get-migration-tool",
  mirrored: "no tool has an argument that is mirrored in a header",
  tasks: "the extension of tasks is not declared: get-migration-tool is how a run is followed",
  subscriptions: "nothing that is listed changes, so that there is nothing to subscribe to",
} as const;
type Reason = keyof typeof reasons;

const scenarios: Record<Reason, string[]> = {
  tool: [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "json-schema-2020-12",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
  ],
  resources: [
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  prompts: [
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "input-required-result-non-tool-request",
  ],
  completions: ["completion-complete"],
  logging: ["logging-set-level"],
  mirrored: ["http-custom-header-server-validation"],
  tasks: [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ],
  subscriptions: [],
};

/** Checks inside scenarios whose other checks hold. */
const checks: Partial<Record<Reason, string[]>> = {
  tool: [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
  ],
  resources: ["sep-2549-resources-list-caching-hints", "sep-2549-resources-templates-list-caching-hints"],
  prompts: ["sep-2549-prompts-list-caching-hints"],
  subscriptions: ["sep-2575-server-sends-subscription-ack", "sep-2575-server-tags-subscription-id"],
};

const byName = (lists: Partial<Record<Reason, string[]>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(lists).flatMap(([reason, names]) => names.map((name) => [name, reasons[reason as Reason]])));

export const excludedScenarios = byName(scenarios);
export const excludedChecks = byName(checks);
