import { describe, expect, it } from "vitest";
import { type CopyRequest, EngineError } from "../contract/index.ts";
import { elsewhere, onlyOwnList } from "./target-place.ts";

const here = { address: "db.shop:5432", identity: "postgresql 7 16384" };

describe("a list of made objects", () => {
  it("is of the target where address and identity are the same", () => {
    expect(elsewhere({ ...here }, here)).toBeUndefined();
  });

  it.each([
    [
      "another database at the same address",
      { ...here, identity: "postgresql 7 16385" },
      "name the database of the copy",
    ],
    [
      "the same server by another address, which may be a clone of it",
      { ...here, address: "db.other:5432" },
      "by the host and port of the copy",
    ],
    ["nowhere, in a report of an earlier version", {}, "drop by hand"],
    ["a server without an identity", { address: here.address }, "drop by hand"],
  ])("is not, of %s", (_, madeIn, fix) => {
    expect(elsewhere(madeIn, here)).toContain(fix);
  });

  it("shows what a report says in one line without marks that act", () => {
    expect(elsewhere({ address: "a\n\u202eb:1", identity: "x" }, here)).not.toMatch(/[\n\u202e]/);
  });
});

describe("a copy that begins with a reset", () => {
  const request = (made: CopyRequest["made"], madeIn = here, reset = true) =>
    ({ owner: "o", ownerName: "n", options: { jobs: 1 }, reset, made, madeIn }) as unknown as CopyRequest;
  const made = [{ kind: "table", name: ["public", "t"], id: "1259:1" }];
  const inTheWay = new EngineError("target_not_empty", "the target database already has public.t");

  it("keeps its own list", () => {
    const own = onlyOwnList(request(made), here, () => expect.unreachable());
    expect(own.request.made).toBe(made);
    expect(own.explained(inTheWay)).toBe(inTheWay);
  });

  it("loses another's, says so, and explains what then stands in the way", () => {
    const said: string[] = [];
    const other = { ...here, identity: "postgresql 8 16384" };
    const own = onlyOwnList(request(made, other), here, (level, message) => void said.push(`${level}: ${message}`));
    expect(own.request.made).toEqual([]);
    expect(said.join()).toMatch(/^warning: .*Nothing of an earlier run is dropped/);
    expect(own.explained(inTheWay)).toMatchObject({ code: "other_database", cause: inTheWay });
    const lost = new EngineError("connection_lost", "gone", { retryable: true });
    expect(own.explained(lost)).toBe(lost);
  });
});
