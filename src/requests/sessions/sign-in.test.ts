import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../resources/objects.ts";
import { readEmail } from "../accounts/email.ts";
import { hashPassword } from "../accounts/password.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { deviceCookie, newDevice } from "./device.ts";
import { attempted, signIn } from "./sign-in.ts";

const email = "ann@example.com";
const password = "correct horse battery";
const { account } = readEmail(email);
const secret = new Uint8Array(32).fill(7);
let stored = "";
beforeAll(async () => {
  stored = Buffer.from(await hashPassword("test", password, randomBytes)).toString("base64");
});

/** Signs in where Ann alone has an account, with this in its spec; tells what was read of the cluster and what was taken and given back. */
async function attempt(input: { email: string; password: string }, cookie?: string, spec: object = {}) {
  const reads: string[] = [];
  const taken: string[] = [];
  const known = { metadata: { name: account, uid: "u1" }, spec: { email, plan: "free", actingTeam: "t1", ...spec } };
  const world = {
    fresh: { account: async (name: string) => (name === account ? known : undefined) },
    client: {
      async get(kind: { kind: string }, _namespace: string, name: string) {
        reads.push(kind.kind);
        if (kind.kind === kinds.secrets.kind) return { metadata: { name }, data: { [account]: stored } };
        return name === account ? known : undefined;
      },
    },
    secret,
    now: () => new Date("2030-01-31T12:00:00Z"),
    randomBytes,
    settings: { namespace: "home" },
  } as unknown as World;
  const from = {
    address: "192.0.2.7",
    cookie,
    attempt: async (of: string, key: string) => {
      taken.push(`${of} ${key}`);
      return async () => void taken.splice(taken.indexOf(`${of} ${key}`), 1);
    },
  };
  const answer = await signIn(world, input, from).catch((error: Error) => error);
  return { reads, taken, answer };
}

describe("a wrong password", () => {
  const device = newDevice(
    { secret, randomBytes },
    { metadata: { name: account, uid: "u1" }, spec: { email, plan: "free", actingTeam: "t1" } },
  );
  const cookie = `${deviceCookie}=${device}`;
  it("is asked of the cluster, counted and refused as an address without an account is", async () => {
    const wrong = await attempt({ email, password: "a wrong password" });
    const unknown = await attempt({ email: "bob@example.com", password });
    expect(wrong.answer).toMatchObject({ code: "credentials_refused" });
    expect(unknown.answer).toMatchObject({ code: "credentials_refused" });
    expect((unknown.answer as Error).message).toBe((wrong.answer as Error).message);
    expect(unknown.reads).toEqual(wrong.reads);
    expect(wrong.taken).toEqual(["address 192.0.2.7", `accountAndAddress ${account} 192.0.2.7`, `account ${account}`]);
    expect(unknown.taken).toEqual(wrong.taken.map((one) => one.replace(account, readEmail("bob@example.com").account)));
  });
  it("counts by itself where the account signed in before, and nowhere else", async () => {
    const known = await attempt({ email, password: "a wrong password" }, `other=1; ${cookie}`);
    expect(known.taken).toEqual([`device ${device.split(".")[0]}`]);
    const foreign = await attempt({ email: "bob@example.com", password }, cookie);
    expect(foreign.taken).toHaveLength(3);
  });
  it("counts as from anywhere where the account signed in before its password changed, and a new device is told", async () => {
    const changed = { sessions: { generation: 2, ended: [] } };
    const wrong = await attempt({ email, password: "a wrong password" }, cookie, changed);
    expect(wrong.taken).toHaveLength(3);
    const right = await attempt({ email, password }, cookie, changed);
    const told = right.answer as { device: string };
    expect(told.device).not.toBe(device);
    const again = await attempt({ email, password: "a wrong password" }, `${deviceCookie}=${told.device}`, changed);
    expect(again.taken).toEqual([`device ${told.device.split(".")[0]}`]);
  });
});

it("the right password costs nothing, and names the device that it knew or a new one", async () => {
  const { taken, answer } = await attempt({ email, password });
  expect(taken).toEqual([]);
  const { device } = answer as { device: string };
  expect((await attempt({ email, password }, `${deviceCookie}=${device}`)).answer).toMatchObject({ device });
});

describe("where several bounds are reached", () => {
  /** Buckets that are used up tell their seconds; answers what was asked, and what stays taken. */
  async function refusedBy(seconds: Record<string, number>) {
    const asked: string[] = [];
    const taken: string[] = [];
    const take = async (of: string, _key: string, how = "take") => {
      asked.push(`${how} ${of}`);
      const retryAfter = seconds[of];
      if (retryAfter !== undefined) throw new Problem("rate_limited", "Too many.", { retryAfter });
      if (how === "look") return async () => {};
      taken.push(of);
      return async () => void taken.splice(taken.indexOf(of), 1);
    };
    const buckets = ["address", "accountAndAddress", "account"] as const;
    const run = attempted(
      take,
      buckets.map((of) => [of, "ann"]),
      async () => "right",
    );
    return { asked, taken, error: await run.catch((error: Error) => error) };
  }
  it("the one that takes longest is told, and nothing stays taken", async () => {
    const { taken, error } = await refusedBy({ address: 9, accountAndAddress: 880 });
    expect(error).toMatchObject({ code: "rate_limited", retryAfter: 880 });
    expect(taken).toEqual([]);
  });
  it("nothing of the account is taken by an address that is refused, not even for a moment", async () => {
    const { asked, error } = await refusedBy({ address: 9 });
    expect(error).toMatchObject({ retryAfter: 9 });
    expect(asked).toEqual(["take address", "look accountAndAddress", "look account"]);
  });
});
