import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { personalTeamOf, readEmail } from "../../src/requests/who/email.ts";
import { sessionCookie } from "../../src/requests/who/session.ts";
import { installed, passwordShards, passwordsName } from "../../src/resources/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { ended, until } from "../operator/control-plane.ts";
import { home } from "../operator/operator.ts";
import type { Answer } from "./http.ts";
import { openRedis } from "./redis.ts";
import { admin, api, newEmail, provided, signUp, startReplica } from "./world.ts";

/** Accounts and sessions, over two replicas. */

const password = "correct horse battery";
const origin = provided.baseUrl;
const cookieOf = (answer: Answer): string => answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
const signIn = (email: string, secret: string, replica = 0) =>
  api("/api/session", { body: { email, password: secret }, replica });
const known = async (cookie: string) =>
  Promise.all([0, 1].map(async (replica) => (await api("/api/account", { cookie, replica })).status));

describe("signing up", () => {
  it("makes an account, its personal team with a namespace, and a session in a cookie that only HTTPS carries", async () => {
    const email = newEmail();
    const answer = await api("/api/account", { body: { email: ` ${email.toUpperCase()}`, password } });
    expect(answer.status).toBe(201);
    const { account } = readEmail(email);
    const team = personalTeamOf(account);
    expect(answer.body.account).toEqual({
      id: account,
      email: email.toUpperCase(),
      plan: "free",
      acting_team: team,
      personal_team: team,
      created_at: expect.stringMatching(/^20.*Z$/),
    });
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    expect(cookie.startsWith(`${sessionCookie}=`)).toBe(true);
    const attributes = cookie
      .split("; ")
      .slice(1)
      .map((one) => one.toLowerCase());
    expect(attributes).toEqual(
      expect.arrayContaining(["secure", "httponly", "samesite=lax", "path=/", `max-age=${7 * 86_400}`]),
    );
    expect(attributes.some((one) => one.startsWith("domain"))).toBe(false);
    expect(await admin.get(kinds.namespaces, "", `rowferry-${team}`)).toBeDefined();
    expect(await known(cookieOf(answer))).toEqual([200, 200]);
  });

  it("keeps the password nowhere but as a hash in a Secret", async () => {
    const email = newEmail();
    const secret = `planted-${email}-secret`;
    await api("/api/account", { body: { email, password: secret } });
    const { account } = readEmail(email);
    const found = await admin.list(kinds.secrets, { namespace: home });
    const holding = found.filter(({ data }) => data?.[account] !== undefined);
    expect(holding.map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(/^rowferry-passwords-\d+$/)]);
    const stored = Buffer.from(holding[0]?.data?.[account] ?? "", "base64").toString();
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const objects = JSON.stringify([
      await admin.get(kinds.accounts, "", account),
      await admin.get(kinds.teams, "", personalTeamOf(account)),
    ]);
    expect(objects).not.toContain(secret);
  });

  it.each([1, 2, 3])("of twenty at once for one address lets in exactly one, whose password holds: %i", async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const answer = await api("/api/account", { body: { email, password: `${password} ${at}` }, replica: at % 2 });
        return { at, answer };
      }),
    );
    const [winner, ...others] = answers.filter(({ answer }) => answer.status === 201);
    expect(others).toEqual([]);
    expect(winner).toBeDefined();
    for (const { at, answer } of answers) {
      if (at === winner?.at) continue;
      expect(answer).toMatchObject({ status: 409, body: { code: "already_exists" } });
    }
    const signed = await Promise.all(answers.map(({ at }) => signIn(email, `${password} ${at}`, at % 2)));
    expect(signed.map(({ status }) => status)).toEqual(answers.map(({ at }) => (at === winner?.at ? 200 : 401)));
  });

  it("of many at once loses none of those whose hashes are in one Secret", async () => {
    const emails: string[] = [];
    const shardOf = (email: string) => Number.parseInt(readEmail(email).account.slice(1, 9), 16) % passwordShards;
    while (emails.length < 20) {
      const email = newEmail();
      if (shardOf(email) === 7) emails.push(email);
    }
    const made = await Promise.all(
      emails.map((email, at) => api("/api/account", { body: { email, password }, replica: at % 2 })),
    );
    expect(made.map(({ status }) => status)).toEqual(emails.map(() => 201));
    const stored = await admin.get(kinds.secrets, home, passwordsName(7));
    expect(Object.keys(stored?.data ?? {})).toEqual(
      expect.arrayContaining(emails.map((email) => readEmail(email).account)),
    );
    const signed = await Promise.all(emails.map((email, at) => signIn(email, password, at % 2)));
    expect(signed.map(({ status }) => status)).toEqual(emails.map(() => 200));
  });

  it.each<[Record<string, unknown>, string]>([
    [{ email: "nobody", password }, "email"],
    [{ email: "a@b@c", password }, "email"],
    [{ email: "ann@example.com", password: "x7y8z9" }, "password"],
    [{ email: "ann@example.com", password: "é".repeat(513) }, "password"],
    [{ email: "ann@example.com", password: "x".repeat(1025) }, "password"],
    [{ email: "ann@example.com", password: { $ne: "" } }, "password"],
    [{ email: ["ann@example.com"], password }, "email"],
    [{ email: "ann@example.com" }, "password"],
    [{ email: "ann@example.com", password, plan: "pro" }, "plan"],
    [{ email: "ann@example.com", password, __proto__x: 1 }, "__proto__x"],
  ])("refuses %j by the field's name, without the value", async (body, field) => {
    const answer = await api("/api/account", { body });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect(new Set(answer.body.errors.map((error: { field: string }) => error.field))).toEqual(new Set([field]));
    if (typeof body.password === "string") expect(answer.text).not.toContain(body.password);
  });

  it("can be closed, and then an administrator makes accounts still", async () => {
    const { caller } = await startReplica({ ROWFERRY_SIGN_UP: "false" });
    const email = newEmail();
    const refused = await caller.ask("/api/account", { body: { email, password } });
    expect(refused).toMatchObject({ status: 403, body: { code: "sign_up_closed" } });
    expect(await command(["create-account", email], `${password}\n`)).toMatchObject({ code: 0, err: "" });
    expect((await caller.ask("/api/session", { body: { email, password } })).status).toBe(200);
  });

  it("finds nothing of an account that was deleted: not its password, tokens or sessions", async () => {
    const email = newEmail();
    const before = await signUp(email);
    const { account } = readEmail(email);
    const { metadata } = (await admin.get(kinds.accounts, "", account)) ?? { metadata: { uid: "" } };
    await admin.remove(kinds.accounts, "", account, metadata.uid ?? "");
    await until("both replicas to know", async () => (await known(before.cookie)).every((status) => status === 401));
    expect((await signIn(email, before.password)).status).toBe(401);
    const again = await api("/api/account", { body: { email, password } });
    expect(again.status).toBe(201);
    expect((await signIn(email, before.password)).status).toBe(401);
    expect((await signIn(email, password)).status).toBe(200);
    expect((await api("/api/account", { token: before.token })).status).toBe(401);
    expect(await known(before.cookie)).toEqual([401, 401]);
  });

  it("that broke off before its password is finished by the next", async () => {
    const email = newEmail();
    const { account } = readEmail(email);
    await admin.create(kinds.accounts, {
      metadata: { name: account },
      spec: { email, plan: "free", actingTeam: personalTeamOf(account) },
    });
    expect((await signIn(email, password)).status).toBe(401);
    expect((await api("/api/account", { body: { email, password } })).status).toBe(201);
    expect((await signIn(email, password, 1)).status).toBe(200);
  });
});

describe("signing in", () => {
  it("answers an unknown address and a wrong password alike", async () => {
    const { email } = await signUp();
    const wrong = await signIn(email, "a wrong password");
    const unknown = await signIn(newEmail(), "a wrong password", 1);
    for (const answer of [wrong, unknown]) expect(answer.status).toBe(401);
    const { request_id: _one, ...first } = wrong.body;
    const { request_id: _other, ...second } = unknown.body;
    expect(first).toEqual(second);
    expect(wrong.headers["set-cookie"]).toBeUndefined();
  });

  it("is slowed by account, whatever the address asks from which replica, and a success costs nothing", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { email, password: right } = await signUp();
    const ask = (secret: string) => caller.ask("/api/session", { body: { email, password: secret } });
    for (let count = 0; count < 15; count += 1) expect((await ask(right)).status).toBe(200);
    for (let count = 0; count < 10; count += 1) expect((await ask(`wrong ${count}`)).status).toBe(401);
    const refused = await ask(right);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(900);
    // Others are not slowed with it.
    const { email: other, password: others } = await signUp();
    expect((await caller.ask("/api/session", { body: { email: other, password: others } })).status).toBe(200);
  });

  it("is slowed by address over many accounts; guesses that are sent at once count too", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, at) =>
        caller.ask("/api/session", {
          body: { email: newEmail(), password: "a wrong password" },
          // A stranger's word for where it comes from counts for nothing.
          headers: { "x-forwarded-for": `192.0.2.${at}`, forwarded: `for=192.0.2.${at}`, "x-real-ip": `192.0.2.${at}` },
        }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(401)).toBeGreaterThan(0);
    expect(count(401)).toBeLessThanOrEqual(50);
    expect(count(401) + count(429) + count(503)).toBe(90);
  });

  it("is slowed by account over two replicas as over one", async () => {
    const redis = await openRedis();
    try {
      const settings = { ROWFERRY_LIMITS: "{}", ROWFERRY_REDIS_URL: redis.url };
      const both = await Promise.all([startReplica(settings), startReplica(settings)]);
      const { email, password: right } = await signUp();
      const ask = (at: number, secret: string) =>
        both[at % 2]?.caller.ask("/api/session", { body: { email, password: secret } });
      await until("both to count in Redis", async () => {
        const answers = await Promise.all([ask(0, right), ask(1, right)]);
        return answers.every((answer) => answer?.status === 200);
      });
      for (let count = 0; count < 10; count += 1) expect((await ask(count, `wrong ${count}`))?.status).toBe(401);
      expect([(await ask(0, right))?.status, (await ask(1, right))?.status]).toEqual([429, 429]);
    } finally {
      await redis.close();
    }
  });

  it.each([
    ["there", 200],
    ["not there", 401],
  ])(
    "hashes for an account that is %s, and beyond what can be hashed at once is refused as busy",
    async (which, usual) => {
      const person = await signUp();
      const email = which === "there" ? person.email : newEmail();
      const right = person.password;
      const answers = await Promise.all(Array.from({ length: 150 }, () => signIn(email, right)));
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].sort()).toEqual([usual, 503]);
      for (const { status, body, headers } of answers)
        if (status === 503) {
          expect(body.code).toBe("busy");
          expect(Number(headers["retry-after"])).toBeGreaterThan(0);
        }
      expect((await signIn(email, right)).status).toBe(usual);
    },
  );
});

describe("a session", () => {
  it("changes things from our own origin alone, and a preflight of a foreign page allows nothing", async () => {
    const { cookie } = await signUp();
    const mint = (headers: Record<string, string>) => api("/api/tokens", { cookie, headers, body: { name: "x" } });
    expect((await mint({ origin })).status).toBe(201);
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "null" }] as Record<string, string>[])
      expect(await mint(headers)).toMatchObject({ status: 403, body: { code: "origin_refused" } });
    const preflight = await api("/api/tokens", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("that signs out ends on every replica before the answer, and the others stay", async () => {
    const { email, password: right, token } = await signUp();
    const [one, other] = [cookieOf(await signIn(email, right)), cookieOf(await signIn(email, right, 1))];
    expect(await known(one)).toEqual([200, 200]);
    const out = await api("/api/session", { method: "DELETE", cookie: one, headers: { origin } });
    expect(out.status).toBe(200);
    expect(out.headers["set-cookie"]?.[0]).toMatch(/Max-Age=0/i);
    expect(await known(one)).toEqual([401, 401]);
    expect(await known(other)).toEqual([200, 200]);
    expect((await api("/api/account", { token })).status).toBe(200);
    expect((await api("/api/session", { method: "DELETE", cookie: one, headers: { origin } })).status).toBe(401);
  });

  it("is none with another replica's key, or altered", async () => {
    const { cookie } = await signUp();
    const [name, value = ""] = cookie.split("=");
    const payload = JSON.parse(Buffer.from(value.split(".")[0] ?? "", "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...payload, account: `a${"0".repeat(40)}` })).toString("base64url");
    for (const text of [`${forged}.${value.split(".")[1]}`, `${forged}.`, value.slice(0, -3), `${value}x`, "null"])
      expect(await known(`${name}=${text}`)).toEqual([401, 401]);
  });
});

describe("a changed password", () => {
  const change = (cookie: string, from: string, to: string) =>
    api("/api/account", { method: "PATCH", cookie, headers: { origin }, body: { password: from, new_password: to } });

  it("ends every session on every replica before the answer, keeps tokens, and gives a new session", async () => {
    const { email, password: old, token, cookie } = await signUp();
    const other = cookieOf(await signIn(email, old, 1));
    const next = "staple correct horse";
    const changed = await change(cookie, old, next);
    expect(changed.status).toBe(200);
    expect(await Promise.all([cookie, other].map(known))).toEqual([
      [401, 401],
      [401, 401],
    ]);
    expect(await known(cookieOf(changed))).toEqual([200, 200]);
    expect((await api("/api/account", { token, replica: 1 })).status).toBe(200);
    expect((await signIn(email, old)).status).toBe(401);
    expect((await signIn(email, next, 1)).status).toBe(200);
  });

  it("needs the present one, and a new one that can be one", async () => {
    const { email, password: old, cookie } = await signUp();
    expect(await change(cookie, "a wrong password", "staple correct horse")).toMatchObject({
      status: 422,
      body: { errors: [{ field: "password" }] },
    });
    expect(await change(cookie, old, "short")).toMatchObject({
      status: 422,
      body: { errors: [{ field: "new_password" }] },
    });
    expect((await signIn(email, old)).status).toBe(200);
    expect(await known(cookie)).toEqual([200, 200]);
  });

  it("is guessed no faster than a sign-in", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { token, password: old } = await signUp();
    const ask = (from: string) =>
      caller.ask("/api/account", { method: "PATCH", token, body: { password: from, new_password: `${old} 2` } });
    for (let count = 0; count < 10; count += 1) expect((await ask(`wrong ${count}`)).status).toBe(422);
    expect((await ask(old)).status).toBe(429);
  });

  it("of two changes at once is one of theirs", async () => {
    const { email, password: old, token } = await signUp();
    const answers = await Promise.all(
      ["first of the two", "second of the two"].map((next, replica) =>
        api("/api/account", { method: "PATCH", token, replica, body: { password: old, new_password: next } }),
      ),
    );
    const holding = (
      await Promise.all(["first of the two", "second of the two"].map((next) => signIn(email, next)))
    ).map(({ status }) => status);
    expect(holding.toSorted()).toEqual([200, 401]);
    expect(answers[holding.indexOf(200)]?.status).toBe(200);
    expect((await signIn(email, old)).status).toBe(401);
  });
});

/** The API's program with a verb, as `kubectl exec` runs it in a pod. */
async function command(args: string[], input: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [new URL("../../src/main/api.ts", import.meta.url).pathname, ...args], {
    cwd: provided.folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: provided.folder,
      KUBECONFIG: provided.apiKubeconfig,
      ROWFERRY_NAMESPACE: home,
    },
  });
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended(child), out, err };
}

describe("by kubectl exec", () => {
  it("an account is made once, with the password from stdin, which is said nowhere", async () => {
    const email = newEmail();
    const made = await command(["create-account", email], password);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain(readEmail(email).account);
    expect((await signIn(email, password)).status).toBe(200);
    const again = await command(["create-account", email], "another password");
    expect(again).toMatchObject({ code: 1, out: "" });
    for (const { out, err } of [made, again]) expect(out + err).not.toMatch(/correct horse|another password/);
    expect((await signIn(email, password)).status).toBe(200);
  });

  it("a lost password is set anew, and sessions end", async () => {
    const { email, cookie, password: old } = await signUp();
    expect(await command(["set-password", email], `${password}\r\n`)).toMatchObject({ code: 0, err: "" });
    expect((await signIn(email, old)).status).toBe(401);
    expect((await signIn(email, password)).status).toBe(200);
    await until("the session to end", async () => (await known(cookie)).every((status) => status === 401));
    expect(await command(["set-password", newEmail()], password)).toMatchObject({ code: 1, out: "" });
  });

  it.each([[["create-account"]], [["constructor", "x"]]])("%j is answered with the usage", async (args) => {
    expect(await command(args, "")).toMatchObject({ code: 2, err: expect.stringContaining("usage") });
  });

  it.each([
    ["nobody", password],
    ["ann@example.com", "short"],
  ])("%s with a password of %j is refused in words", async (email, secret) => {
    const { code, err } = await command(["create-account", email], secret);
    expect(code).toBe(1);
    expect(err).toMatch(/^(email|password): /);
  });
});

it("the API can read no Secret but those of passwords", async () => {
  const { connect, createClient } = await import("../../src/cluster/index.ts");
  const connection = connect({ kubeconfig: provided.apiKubeconfig });
  const client = createClient(connection);
  expect(await client.get(kinds.secrets, home, "rowferry-passwords-0")).toBeDefined();
  for (const name of [installed.apiKeys, installed.apiTls, installed.proberTls, "rowferry-operator-keys"])
    await expect(client.get(kinds.secrets, home, name)).rejects.toMatchObject({ code: "Forbidden" });
  await expect(client.list(kinds.secrets, { namespace: home })).rejects.toMatchObject({ code: "Forbidden" });
  connection.close();
});
