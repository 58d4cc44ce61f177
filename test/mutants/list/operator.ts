import type { Mutant } from "../mutant.ts";

/** Faults of the operator: which pod it believes, when a run starts, and what a reset is told. */

const refused = (name: string) => ({ file: "test/operator/endpoint.test.ts", name: `who is refused > ${name}` });
const verified = (name: string) => ({
  file: "controllers/worker-endpoint/tokens/keys.test.ts",
  name: `is refused: > ${name}`,
});
const decide = (name: string) => ({
  file: "controllers/migration/decide.test.ts",
  name: `what a pass does and says > ${name}`,
});

export const operator: readonly Mutant[] = [
  {
    id: "any-jobs-pod-believed",
    file: "controllers/worker-endpoint/authorise.ts",
    find: "if (status?.job?.uid !== jobUid) {",
    replace: "if (status?.job === undefined) {",
    test: refused("a pod of somebody's Job that carries the labels of the Migration"),
    harm: "Any Job of the namespace gets the opened connection URLs.",
  },
  {
    id: "old-run-served-in-reset",
    file: "controllers/worker-endpoint/authorise.ts",
    find: 'if (spec.reset > (status.reset ?? 0)) throw stale("the Migration is being reset");',
    replace: "",
    test: refused("a pod of the run before a reset, from the moment in which the reset is asked for"),
    harm: "A run that is to be reset stores its result as completed.",
  },
  {
    id: "pod-by-its-name-alone",
    file: "controllers/worker-endpoint/authorise.ts",
    find: "if (pod?.metadata.uid !== identity.podUid) throw",
    replace: "if (pod === undefined) throw",
    test: refused("a token of a pod that was deleted, when another pod has its name"),
    harm: "A token that was stolen from a pod is good as long as a pod has that name.",
  },
  {
    id: "token-for-anybody",
    file: "controllers/worker-endpoint/tokens/keys.ts",
    find: "...{ issuer, audience, algorithms, clockTolerance, currentDate },",
    replace: "...{ issuer, algorithms, clockTolerance, currentDate },",
    test: verified("one for another audience"),
    harm: "A pod's token for any other service gets the opened connection URLs, where the operator has Roles alone.",
  },
  {
    id: "token-of-any-namespace",
    file: "controllers/worker-endpoint/tokens/keys.ts",
    find: "if (!namespaces.includes(namespace)) throw",
    replace: "if (namespaces.length === 0) throw",
    test: verified("one of a namespace that is not watched"),
    harm: "A pod of a namespace in which the operator does not work is looked up there.",
  },
  {
    id: "start-beside-old-pods",
    file: "controllers/migration/decide.ts",
    find: "return earlier && say(stopping, { lookAgain: 2000, ...lost(observed, earlier, now) });",
    replace: "return undefined;",
    test: decide("its pod has not ended yet"),
    harm: "A run starts while a pod of the one before still writes.",
  },
  {
    id: "start-without-looking",
    file: "controllers/migration/decide.ts",
    find: "run > 1 && !observed.confirmedIdle",
    replace: "run > 1000 && !observed.confirmedIdle",
    test: decide("before it, the API server is asked whether a pod is left"),
    harm: "A run starts by an old cache while a pod of the one before still writes.",
  },
  {
    id: "reset-leaves-job",
    file: "controllers/migration/decide.ts",
    find: "return running && say(stopping, { act: stop(running), lookAgain: 2000 });",
    replace: "return undefined;",
    test: decide("running, reset raised: the Job is stopped"),
    harm: "A reset of a running migration never begins.",
  },
  {
    id: "result-of-an-earlier-run",
    file: "controllers/migration/decide.ts",
    find: "const result = migration.status?.result?.run === run ? migration.status.result : undefined;",
    replace: "const result = migration.status?.result;",
    test: decide("a result of an earlier run is none"),
    harm: "A retry is completed by the result of the run before, and copies nothing.",
  },
  {
    id: "retry-beside-the-run",
    file: "src/resources/run.ts",
    find: 'if (attempt > status.attempt && status.state === "failed") return',
    replace: "if (attempt > status.attempt) return",
    test: decide("running, attempt raised: nothing yet"),
    harm: "A raised attempt stops a run that goes well.",
  },
  {
    id: "cleaned-before-the-copy",
    file: "controllers/migration/run.ts",
    find: "  schema: false,",
    replace: "  schema: true,",
    test: {
      file: "controllers/migration/decide.test.ts",
      name: "cleaning is remembered > not before the copy has begun",
    },
    harm: "A reset that was cut off is not done again, and what the last run made stays in the target.",
  },
  {
    id: "cleaned-twice",
    file: "controllers/migration/run.ts",
    find: "return Math.max(status?.resetDone ?? 0, seen);",
    replace: "return status?.resetDone ?? 0;",
    test: { file: "controllers/migration/decide.test.ts", name: "cleaning is remembered > once the copy has begun" },
    harm: "A pod that follows in a reset's run drops what the one before it has copied.",
  },
  {
    id: "anothers-report",
    file: "src/cluster/archive.ts",
    find: "return packed === undefined || !isOwn ? undefined",
    replace: "return packed === undefined ? undefined",
    test: { file: "controllers/worker-endpoint/work.test.ts", name: "a report that is another's is none" },
    harm: "A reset drops by the list of another migration's report.",
  },
  {
    id: "urls-erased-early",
    file: "controllers/migration/expiry.ts",
    find: "return wait <= 0 ? { due: sealed }",
    replace: "return wait <= longestWait ? { due: sealed }",
    test: {
      file: "controllers/migration/expiry.test.ts",
      name: "when a sealed URL is taken out > its time is not over",
    },
    harm: "A failed migration cannot be retried, since its URLs are gone too early.",
  },
];
