/** Errors name what helps by REST; a model has tools alone. */

/** The first that fits counts; each is a part of a sentence. */
const tools: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /request a new one, or remove `?estimate_id`?/,
    "call preview-migration-tool again, and show the user the new price",
  ],
  [
    /authorize it at its checkout link\. POST \/api\/migrations\/\{id\}\/checkout returns/,
    "the user must authorize it at its checkout link. retry-migration-tool with the id alone returns",
  ],
  [/POST \/api\/migrations\/\S+\/checkout/, "retry-migration-tool"],
  [/GET \/api\/backups\/\S+\/runs/, "list-backup-runs-tool"],
  [/POST \/api\/backups\/\S+\/run(?![\w/])/, "run-backup-now-tool"],
  [/POST \/api\/tokens creates another/, "The user can create another in the account settings or by REST"],
  [
    /with a token from POST \/api\/tokens/,
    "with an API token, which the user creates in the account settings or by REST",
  ],
  [/choose one from GET \/api\/teams and POST \/api\/teams\/\S+\/switch/, "the user must choose another team by REST"],
  [/switch to it with POST \/api\/teams\/\S+\/switch/, "the user can switch to it by REST"],
];
const anyPath = /\b(?:GET|POST|PATCH|PUT|DELETE) \/api\/[^\s:;,)]*[^\s:;,).]/g;

export function byTools(words: string): string {
  const fitting = tools.reduce((text, [pattern, instead]) => text.replace(pattern, instead), words);
  return fitting.replace(anyPath, "a call of REST");
}
