import type { Mutant } from "../mutant.ts";

/** Faults of what a call may do: estimates, whose a Migration is, keys of idempotency, tokens and sessions. */

const signed = (name: string) => ({ file: "src/requests/migrations/keys/signed.test.ts", name });
const who = (name: string) => ({ file: "src/requests/sessions/authenticate.test.ts", name });

export const requests: readonly Mutant[] = [
  {
    id: "expired-estimate-at-create",
    file: "src/requests/migrations/create.ts",
    find: "const read = readQuote(world.secret, token, of, world.now());",
    replace: "const read = readQuote(world.secret, token, of, new Date(0));",
    test: {
      file: "test/api/migrations-probes.test.ts",
      name: "an estimate > that has expired is refused by create, and makes nothing",
    },
    harm: "A price of long ago is still honoured.",
  },
  {
    id: "estimate-without-expiry",
    file: "src/requests/migrations/keys/estimate-token.ts",
    find: 'if (expires <= now.getTime()) return { refused: "expired" };',
    replace: "",
    test: signed("an estimate > that is expired is refused"),
    harm: "A price holds for ever.",
  },
  {
    id: "estimate-of-another-account",
    file: "src/requests/migrations/keys/estimate-token.ts",
    find: 'if (account !== accountOf(secret, of)) return { refused: "foreign" };',
    replace: "",
    test: signed("an estimate > that is foreign is refused"),
    harm: "An account uses the price that another one was quoted.",
  },
  {
    id: "estimate-with-another-price",
    file: "src/requests/migrations/keys/estimate-token.ts",
    find: 'if (!isSame(token, signed(secret, text))) return { refused: "altered" };',
    replace: "",
    test: signed("an estimate > cannot be given another price"),
    harm: "A caller writes the price itself.",
  },
  {
    id: "estimates-unmetered",
    file: "src/api/operations/probes.ts",
    find: 'answer: { status: 200, description: "The quote.", schema: estimateSchema },',
    replace:
      'answer: { status: 200, description: "The quote.", schema: estimateSchema }, ...{ tier: "read" as const },',
    test: {
      file: "test/api/limits.test.ts",
      name: "one replica, in memory > 20 calls a minute ask databases: connection tests, preflights and estimates together",
    },
    harm: "One account has the service measure databases without a limit.",
  },
  {
    id: "another-teams-id",
    file: "src/requests/migrations/find.ts",
    find: "const own = known.find(({ metadata }) => metadata.namespace === namespace);",
    replace: "const [own] = known;",
    test: {
      file: "test/api/migrations-lifecycle.test.ts",
      name: "of every operation on one migration > GET  says 403 of another team's, and 404 of one that nobody has",
    },
    harm: "A Migration is shown to another team, with its names and options.",
  },
  {
    id: "no-owner-check-on-remove",
    file: "src/requests/teams/members.ts",
    find: "if (!leaves) needOwner(team, caller);",
    replace: "",
    test: { file: "src/requests/teams/members.test.ts", name: "removing a member > is refused to who is no owner" },
    harm: "A member takes the owners out of a team.",
  },
  {
    id: "seen-state-ignored",
    file: "src/requests/migrations/view/precondition.ts",
    find: "now.reset === seen.reset;",
    replace: "now.reset >= 0;",
    test: {
      file: "src/requests/migrations/view/precondition.test.ts",
      name: "what was agreed to is refused where the migration was reset meanwhile",
    },
    harm: "A model's delete, agreed to for one state, is done in another.",
  },
  {
    id: "reset-of-a-reset",
    file: "src/requests/migrations/reset.ts",
    find: 'if (dueRun(live).why === "reset") return undefined;',
    replace: "",
    test: {
      file: "src/requests/migrations/again.test.ts",
      name: "a reset of one that has not begun yet raises nothing more",
    },
    harm: "Two calls for a reset drop and copy everything twice.",
  },
  {
    id: "completed-is-retried",
    file: "src/requests/migrations/retry.ts",
    find: 'if (state !== "failed")',
    replace: 'if (state === "in_progress")',
    test: {
      file: "src/requests/migrations/again.test.ts",
      name: "only a failed one is retried: completed is refused, and left as it was",
    },
    harm: "A retry of a completed migration is accepted and changes nothing, or one that waits runs twice.",
  },
  {
    id: "action-key-forgotten",
    file: "src/requests/migrations/raise.ts",
    find: "if (digest !== undefined && wasDone(live, digest, body)) return undefined;",
    replace: "",
    test: {
      file: "src/requests/migrations/again.test.ts",
      name: "a key resets once, also when the reset has run since",
    },
    harm: "A reset that a client repeats after a lost answer drops and copies everything again.",
  },
  {
    id: "run-without-urls",
    file: "src/requests/migrations/raise.ts",
    find: "    checkUrls({ spec: spec ?? live.spec });",
    replace: "",
    test: {
      file: "src/requests/migrations/again.test.ts",
      name: "one whose URLs are no longer kept has no reset, and is told so",
    },
    harm: "A migration whose URLs were erased goes from completed to failed.",
  },
  {
    id: "old-failure-shown",
    file: "src/requests/migrations/view/shown.ts",
    find: 'if (isComing(migration)) return isPaid(migration) ? "pending" : "awaiting_payment";',
    replace: "",
    test: {
      file: "src/requests/migrations/view/shown.test.ts",
      name: "the state that is shown > is pending at once after a retry, never the old failed",
    },
    harm: "A client that polls after a retry takes the old failure for the new one.",
  },
  {
    id: "idempotency-across-teams",
    file: "src/requests/migrations/keys/idempotency.ts",
    find: 'signature(secret, "idempotency-name", account, team, path, key)',
    replace: 'signature(secret, "idempotency-name", account, path, key)',
    test: signed(
      "a key of idempotency > leads to the same UUID on every replica, and to another for each other account, team, path, key and installation",
    ),
    harm: "A key that an account used in one team answers with that team's migration in another.",
  },
  {
    id: "token-without-expiry",
    file: "src/requests/sessions/authenticate.ts",
    find: "if (token.spec.expiresAt !== undefined && ",
    replace: "if (token.spec.expiresAt === undefined && ",
    test: who("a token > holds until its expiry and not at it"),
    harm: "A token that has expired still opens everything.",
  },
  {
    id: "token-of-the-owner-before",
    file: "src/requests/sessions/authenticate.ts",
    find: "if (account === undefined || owner?.uid !== account.metadata.uid) throw refused(unknown);",
    replace: "if (account === undefined) throw refused(unknown);",
    test: who("a token > of who had the address before is refused"),
    harm: "Whoever had an e-mail address before opens the account of who has it now.",
  },
  {
    id: "foreign-page-changes",
    file: "src/requests/sessions/authenticate.ts",
    find: "if (!safe && shown.origin !== new URL(world.settings.baseUrl).origin)",
    replace: "if (!safe && shown.origin === undefined)",
    test: who("a session > changes from our own origin alone: POST"),
    harm: "A foreign web page acts with the session of its visitor.",
  },
  {
    id: "session-survives-password",
    file: "src/requests/sessions/session.ts",
    find: "  generationOf(account) === session.generation &&",
    replace: "",
    test: { file: "src/requests/sessions/session.test.ts", name: "an account > of the next generation has not" },
    harm: "A thief's session goes on after the password was changed.",
  },
  {
    id: "cursor-of-another-list",
    file: "src/requests/cursor.ts",
    find: "return timingSafeEqual(proof, packed.subarray(0, bytes)) ? ",
    replace: "return proof.length === bytes ? ",
    test: signed("a cursor > is refused for another team's list"),
    harm: "A cursor that was made up, or is another team's, is taken.",
  },
  {
    id: "oidc-flow-without-end",
    file: "src/requests/oidc/flow.ts",
    find: "return until * 1000 > now().getTime() ? flow : undefined;",
    replace: "return until > 0 ? flow : undefined;",
    test: { file: "src/requests/oidc/flow.test.ts", name: "ends after its time" },
    harm: "A sign-in that somebody began long ago is finished by whoever has its cookie.",
  },
];
