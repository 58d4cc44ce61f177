import { describe, expect, it } from "vitest";
import { collisions, compareInventories, refuseCollisions } from "./verify.ts";

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
    expect(() => refuseCollisions(source, target)).toThrow(/already has view s\.a/);
  });

  it("are complete when each thing is there or was reported by name", () => {
    const source = [thing("table", "s.a"), thing("trigger", "s.a t"), thing("publication", "p")];
    const notes = [
      { kind: "publication", name: "p", outcome: "reported" as const, note: "refused" },
      { kind: "grants", name: "TABLE s.a", outcome: "copied" as const },
    ];
    const { inventory, differing } = compareInventories(source, source.slice(0, 2), notes, true);
    expect(differing).toEqual([]);
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

  it("tell what the target wrote differently, between servers that write alike", () => {
    const [source, target] = [[thing("view", "s.v", "SELECT 1")], [thing("view", "s.v", "SELECT 2")]];
    expect(compareInventories(source, target, [], true).differing).toEqual(["view s.v"]);
    expect(compareInventories(source, target, [], false).differing).toEqual([]);
  });
});
