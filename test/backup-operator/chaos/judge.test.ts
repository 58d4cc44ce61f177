import { expect, test } from "vitest";
import { type Facts, judge } from "./judge.ts";

const run = (name: string, more: Partial<Facts["runs"][number]> = {}) => ({
  ...{ name, state: "completed", location: `team/${name}.1/pod`, rows: 5, archive: { rows: 5 } },
  ...more,
});
const facts = (more: Partial<Facts> = {}): Facts => ({
  runs: [run("a"), run("b")],
  restores: [],
  objects: ["team/a.1/pod/manifest", "team/b.1/pod/manifest"],
  uploads: [],
  ...more,
});
const known = { completed: ["old", "a", "b"], rows: 5, keepLast: 2 };

test.each<[string, Partial<Facts>, RegExp[]]>([
  ["two complete runs and their parts", {}, []],
  ["a failed run without parts", { runs: [run("a"), run("b"), run("c", { state: "failed" })] }, []],
  ["a complete run that is gone", { runs: [run("b")], objects: ["team/b.1/pod/manifest"] }, [/^lost: run a .* gone$/]],
  [
    "a complete run that failed later",
    { runs: [run("a", { state: "failed" }), run("b")] },
    [/^lost: run a/, /^orphan/],
  ],
  [
    "an archive with a part missing",
    { runs: [run("a"), run("b", { archive: { error: "gone" } })] },
    [/^falsely.*gone$/],
  ],
  ["an archive with fewer rows", { runs: [run("a"), run("b", { archive: { rows: 4 } })] }, [/^falsely.* 4 rows/]],
  ["a run that tells of fewer rows", { runs: [run("a"), run("b", { rows: 4 })] }, [/^falsely.* 4 rows/]],
  ["an archive that nobody read", { runs: [run("a"), run("b", { archive: undefined })] }, [/^falsely.*nobody/]],
  ["a verification that failed", { runs: [run("a"), run("b", { verified: false })] }, [/^falsely.*verification/]],
  [
    "a restore that differs",
    { restores: [{ name: "r", state: "completed", isEqual: false }] },
    [/^falsely.*restore r/],
  ],
  ["a restore that says that it failed", { restores: [{ name: "r", state: "failed", isEqual: false }] }, []],
  ["a part of another pod", { objects: ["team/a.1/other/part"] }, [/^orphan: team\/a\.1\/other\/part/]],
  ["an upload without an end", { uploads: ["team/a.1/other/part"] }, [/^orphan: the upload/]],
  [
    "the newest verified run, beside the last ones",
    { runs: [run("old", { verified: true }), run("a"), run("b")], objects: ["team/old.1/pod/manifest"] },
    [],
  ],
  [
    "a verified run that is not the newest one",
    { runs: [run("old", { verified: true }), run("a", { verified: true }), run("b")] },
    [/^orphan: 1 complete/],
  ],
  ["a run that retention would delete", { runs: [run("old"), run("a"), run("b")] }, [/^orphan: 1 complete/]],
])("%s", (_name, more, expected) => {
  const found = judge(facts(more), known);
  expect(found).toHaveLength(expected.length);
  for (const [at, words] of expected.entries()) expect(found[at]).toMatch(words);
});
