import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { kinds } from "../../cluster/index.ts";
import type { Kind, KubeObject } from "../../resources/objects.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";
import { signUp } from "./sign-up.ts";

const password = "correct horse battery";

/** Signs up one after the other in an empty cluster; tells what was answered, what stays taken, and how many accounts there are. */
async function signedUp(emails: readonly string[], inAll = 100) {
  const objects = new Map<string, KubeObject>();
  const keyOf = ({ kind }: Kind<KubeObject>, name: string) => `${kind} ${name}`;
  const client = {
    get: async (kind: Kind<KubeObject>, _namespace: string, name: string) =>
      kind.kind === kinds.secrets.kind && !objects.has(keyOf(kind, name))
        ? { metadata: { name } }
        : objects.get(keyOf(kind, name)),
    async create(kind: Kind<KubeObject>, object: KubeObject) {
      const status = kind.kind === kinds.teams.kind ? { status: { namespace: "rowferry-t" } } : {};
      const made = { ...object, ...status, metadata: { ...object.metadata, uid: object.metadata.name } };
      objects.set(keyOf(kind, object.metadata.name), made);
      return made;
    },
    async update(kind: Kind<KubeObject>, object: KubeObject) {
      objects.set(keyOf(kind, object.metadata.name), object);
      return object;
    },
  };
  const world = {
    client,
    caches: { teamsByMember: { of: () => [] } },
    secret: new Uint8Array(32).fill(7),
    now: () => new Date("2030-01-31T12:00:00Z"),
    randomBytes,
    pause: async () => {},
    settings: { namespace: "home", signUp: true },
  } as unknown as World;
  const taken = new Map<string, number>();
  const attempt = async (of: string, _key: string, how?: "look") => {
    const count = (taken.get(of) ?? 0) + 1;
    if (of === "signUpInAll" && count > inAll) throw new Problem("rate_limited", "Too many.", { retryAfter: 60 });
    if (how === "look") return async () => {};
    taken.set(of, count);
    return async () => void taken.set(of, (taken.get(of) ?? 0) - 1);
  };
  const answers: string[] = [];
  for (const email of emails)
    await signUp(world, { email, password }, { address: "192.0.2.7", attempt }).then(
      () => answers.push("made"),
      (error: Problem) => answers.push(error.code),
    );
  const accounts = [...objects.keys()].filter((key) => key.startsWith(kinds.accounts.kind)).length;
  return { answers, taken: Object.fromEntries(taken), accounts };
}

it("a sign-up that makes nothing counts for its address, and not among those of all", async () => {
  const { answers, taken, accounts } = await signedUp(["ann@example.com", "ann@example.com", "no address"]);
  expect(answers).toEqual(["made", "already_exists", "invalid"]);
  expect(taken).toEqual({ signUp: 3, signUpInAll: 1 });
  expect(accounts).toBe(1);
});

it("beyond what may be made in all nothing is made, nor counted for who asks", async () => {
  const { answers, taken, accounts } = await signedUp(["ann@example.com", "bob@example.com", "cat@example.com"], 2);
  expect(answers).toEqual(["made", "made", "rate_limited"]);
  expect(taken).toEqual({ signUp: 2, signUpInAll: 2 });
  expect(accounts).toBe(2);
});
