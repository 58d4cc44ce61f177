import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Account } from "../../resources/account.ts";
import { deviceOf, newDevice } from "./device.ts";
import { holds } from "./session.ts";

const world = { secret: new Uint8Array(32).fill(7), randomBytes };
const ann: Account = {
  metadata: { name: "a1", uid: "0f1e-u1" },
  spec: { email: "ann@example.com", plan: "free", actingTeam: "t1", sessions: { generation: 12, ended: [] } },
};
const value = newDevice(world, ann);
const [id = "", generation = "", uid = "", proof = ""] = value.split(".");

it("a device is known to its account, on every replica", () => {
  const device = deviceOf({ secret: new Uint8Array(32).fill(7) }, value, "a1");
  expect(device).toEqual({ id, generation: 12, uid: "0f1e-u1" });
  expect(newDevice(world, ann)).not.toBe(value);
});

it.each([
  ["another account", world, value, "a2"],
  ["another installation", { secret: new Uint8Array(32).fill(8) }, value, "a1"],
  ["another id", world, ["0".repeat(24), generation, uid, proof].join("."), "a1"],
  ["another generation", world, [id, "13", uid, proof].join("."), "a1"],
  ["another uid", world, [id, generation, "0f1e-u2", proof].join("."), "a1"],
  ["nothing", world, "", "a1"],
  ["no proof", world, [id, generation, uid, ""].join("."), "a1"],
  ["something longer", world, `${value}A`, "a1"],
])("and not to %s", (_what, where, shown, account) => {
  expect(deviceOf(where, shown, account)).toBeUndefined();
});

describe("an account", () => {
  const device = deviceOf(world, value, "a1");
  const held = (account: Account) => device !== undefined && holds(device, account);
  it("has the device that was made for it", () => {
    expect(held(ann)).toBe(true);
  });
  it("whose sessions ended has not", () => {
    expect(held({ ...ann, spec: { ...ann.spec, sessions: { generation: 13, ended: [] } } })).toBe(false);
  });
  it("that was made anew under the same name has not", () => {
    expect(held({ ...ann, metadata: { name: "a1", uid: "0f1e-u2" } })).toBe(false);
  });
});
