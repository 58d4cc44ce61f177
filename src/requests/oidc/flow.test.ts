import { expect, it } from "vitest";
import { newFlow, oidcSeconds, readFlow } from "./flow.ts";

let at = Date.parse("2030-01-31T12:00:00Z");
const world = {
  secret: Buffer.alloc(32, 1),
  now: () => new Date(at),
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
};

it("is read as it was begun, and shows nothing of itself", () => {
  const { flow, value } = newFlow(world, { account: "a1", session: "s1" });
  expect(readFlow(world, value)).toEqual(flow);
  for (const secret of [flow.state, flow.nonce, flow.verifier]) {
    expect(secret).toHaveLength(43);
    expect(value).not.toContain(secret);
    expect(Buffer.from(value, "base64url").toString("latin1")).not.toContain(secret);
  }
  expect(new Set([flow.state, flow.nonce, flow.verifier]).size).toBe(3);
});

it("ends after its time", () => {
  const { value } = newFlow(world);
  at += oidcSeconds * 1000 - 1;
  expect(readFlow(world, value)).toBeDefined();
  at += 1;
  expect(readFlow(world, value)).toBeUndefined();
});

it("is not read when a bit of it is changed, nor with another installation's secret", () => {
  const { value } = newFlow(world);
  const bytes = Buffer.from(value, "base64url");
  for (let byte = 0; byte < bytes.length; byte += 1) {
    const changed = Buffer.from(bytes);
    changed[byte] = (changed[byte] ?? 0) ^ 1;
    expect(readFlow(world, changed.toString("base64url"))).toBeUndefined();
  }
  expect(readFlow({ ...world, secret: Buffer.alloc(32, 2) }, value)).toBeUndefined();
});

it.each(["", "A", "A".repeat(38), "A".repeat(1001), "not base64url ·"])("is not read of %j", (value) => {
  expect(readFlow(world, value)).toBeUndefined();
});
