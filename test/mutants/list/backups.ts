import type { Mutant } from "../mutant.ts";

/** Faults of backups: of what kills leave behind, and of the times of runs. */

const killed = (name: string) => ({ file: "test/backup-operator/chaos/directed.test.ts", name });

export const backups: readonly Mutant[] = [
  {
    id: "uploads-of-killed-pods",
    file: "src/worker/backup.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the line as it is in the file
    find: "await storage.abortUploads(`${runFolder}/`, signal);",
    replace: "",
    test: killed("a pod that is killed while it uploads leaves nothing once the next one has completed the run"),
    harm: "Uploads that nobody ends are paid for as long as the bucket exists, and no list of objects shows them.",
  },
  {
    id: "parts-of-deleted-runs",
    file: "controllers/backup-run/decide.ts",
    find: "if (isKept || subject.status?.job === undefined || subject.status.partsRemoved) return free;",
    replace: "return free;",
    test: killed("an operator that is killed when retention begins removes the older run with its parts, and no other"),
    harm: "Runs that retention deletes leave their parts in the bucket.",
  },
  {
    id: "slots-looked-at-later",
    file: "controllers/runtime/loop.ts",
    find: "if (lookAgain !== undefined && (isDue || lookAgain < unhurried))",
    replace: "if (lookAgain !== undefined && lookAgain < unhurried)",
    test: {
      file: "controllers/runtime/loop.test.ts",
      name: "a look at the moment when something is due is not spread",
    },
    harm: "A nightly backup starts up to two hours after its time.",
  },
];
