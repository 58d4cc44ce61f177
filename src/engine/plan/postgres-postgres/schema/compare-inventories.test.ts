import { describe, expect, it } from "vitest";
import { collisions, compareInventories, refuseCollisions } from "./compare-inventories.ts";

const thing = (kind: string, name: string, detail = "") => ({ kind, name, detail });

describe("the inventories of both sides", () => {
  it("collide where a name would be taken, whatever kind of relation holds it", () => {
    const source = [
      thing("table", "s.a"),
      thing("schema", "s"),
      thing("column", "s.a.x"),
      thing("function", "s.f()"),
      thing("view", "s.v"),
    ];
    const target = [
      thing("view", "s.a"),
      thing("schema", "s"),
      thing("column", "s.a.x"),
      thing("function", "s.f(integer)"),
    ];
    expect(collisions(source, target)).toEqual(["view s.a"]);
    expect(() => refuseCollisions(source, target)).toThrow(/already has view s\.a: .*in options\.drop/);
    const many = [thing("index", "s.i"), thing("sequence", "s.q"), thing("table", "s.t")];
    expect(collisions(many, many)).toEqual(["table s.t", "index s.i", "sequence s.q"]);
  });

  it("are complete when each thing is there or was reported by name", () => {
    const source = [thing("table", "s.a"), thing("trigger", "s.a t"), thing("publication", "p")];
    const notes = [
      { kind: "publication", name: "p", outcome: "reported" as const, note: "refused" },
      { kind: "grants", name: "TABLE s.a", outcome: "copied" as const },
    ];
    const { inventory, warnings } = compareInventories(source, source.slice(0, 2), notes, true);
    expect(warnings).toEqual([]);
    expect(inventory.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      "table copied",
      "trigger copied",
      "publication reported",
      "grants copied",
    ]);
  });

  it("fail the run when a thing is missing and nobody said so", () => {
    expect(() => compareInventories([thing("index", "s.i")], [], [], true)).toThrow(
      /missing in the target after the copy: index s\.i/,
    );
  });

  it("tell both texts of what stands otherwise in the target, and name it", () => {
    const [source, target] = [[thing("view", "s.v", "SELECT 1")], [thing("view", "s.v", "SELECT 2")]];
    for (const alike of [true, false]) {
      const { inventory, warnings } = compareInventories(source, target, [], alike);
      expect(inventory).toEqual([
        {
          kind: "view",
          name: "s.v",
          outcome: "reported",
          note: "the target has another definition: SELECT 2",
          definition: "SELECT 1",
        },
      ]);
      expect(warnings).toEqual([expect.stringContaining("view s.v differs in the target")]);
    }
  });

  it("tell what stands on a copied table alone in the target, and nothing of others' tables", () => {
    const source = [thing("table", "s.a"), thing("column", "s.a.x", "integer")];
    const extra = { ...thing("trigger", "s.a evil", "CREATE TRIGGER evil"), relation: "s.a" };
    const target = [...source, extra, thing("table", "s.b"), { ...thing("trigger", "s.b fine"), relation: "s.b" }];
    const { inventory, warnings } = compareInventories(source, target, [], true);
    expect(inventory.filter(({ outcome }) => outcome === "reported")).toEqual([
      expect.objectContaining({ kind: "trigger", name: "s.a evil", definition: "CREATE TRIGGER evil" }),
    ]);
    expect(warnings).toEqual([expect.stringContaining("trigger s.a evil is only in the target")]);
  });

  it("are compared in many groups as in one, and told in the source's order", () => {
    const source = Array.from({ length: 40_000 }, (_, at) =>
      thing(at % 2 === 0 ? "table" : "index", `s.t${at}`, `${at}`),
    );
    const changed = source.map((one, at) => (at % 9_999 === 1 ? { ...one, detail: "other" } : one));
    const notes = [...source].reverse().map(({ kind, name }) => ({ kind, name, outcome: "copied" as const }));
    const said = [{ kind: "grants", name: "TABLE s.t0", outcome: "copied" as const }];
    const { inventory, warnings } = compareInventories(source, changed.reverse(), [...said, ...notes], true);
    expect(inventory.map(({ name }) => name)).toEqual([...source.map(({ name }) => name), "TABLE s.t0"]);
    expect(inventory.flatMap(({ outcome }, at) => (outcome === "reported" ? [at] : []))).toEqual([
      1, 10_000, 19_999, 29_998, 39_997,
    ]);
    expect(warnings.map((words) => words.split(" ")[1])).toEqual([
      "s.t1",
      "s.t10000",
      "s.t19999",
      "s.t29998",
      "s.t39997",
    ]);
    expect(() => compareInventories(source, changed.slice(1), notes, true)).toThrow(/missing .*: index s\.t39999$/);
  });
});
