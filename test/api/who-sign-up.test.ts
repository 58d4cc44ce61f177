import { describe, expect, it } from "vitest";
import { readEmail } from "../../src/requests/accounts/email.ts";
import { sessionCookie } from "../../src/requests/sessions/session.ts";
import { passwordShards, passwordsName } from "../../src/resources/crd/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import type { Team } from "../../src/resources/team.ts";
import { until } from "../operator/control-plane.ts";
import { home } from "../operator/operator.ts";
import { command, cookieOf, known, password, signIn } from "./who.ts";
import { enroll } from "./who-play.ts";
import { admin, api, newEmail, signUp, startReplica } from "./world.ts";

/** Signing up, over two replicas. */

describe("signing up", () => {
  it("makes an account, its personal team with a namespace, and a session in a cookie that only HTTPS carries", async () => {
    const email = newEmail();
    const answer = await api("/api/account", { body: { email: ` ${email.toUpperCase()}`, password } });
    expect(answer.status).toBe(201);
    const { account } = readEmail(email);
    const team = answer.body.account.acting_team;
    expect(team).toMatch(/^t[0-9a-f]{20}$/);
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
    const { body } = await api("/api/account", { body: { email, password: secret } });
    const { account } = readEmail(email);
    const found = await admin.list(kinds.secrets, { namespace: home });
    const holding = found.filter(({ data }) => data?.[account] !== undefined);
    expect(holding.map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(/^rowferry-passwords-\d+$/)]);
    const stored = Buffer.from(holding[0]?.data?.[account] ?? "", "base64").toString();
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const objects = JSON.stringify([
      await admin.get(kinds.accounts, "", account),
      await admin.get(kinds.teams, "", body.account.personal_team),
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

  const makeAccount = (email: string, spec: object = {}) =>
    admin.create(kinds.accounts, {
      metadata: { name: readEmail(email).account },
      spec: { email, plan: "free", actingTeam: `t${"0".repeat(20)}`, ...spec },
    });

  it("that broke off before its password is finished by the next, which is the last", async () => {
    const email = newEmail();
    const team = `t${Buffer.from(crypto.getRandomValues(new Uint8Array(10))).toString("hex")}`;
    await makeAccount(email, { actingTeam: team, personalTeam: team, openToSignUp: true });
    expect((await signIn(email, password)).status).toBe(401);
    const made = await api("/api/account", { body: { email, password } });
    expect(made).toMatchObject({ status: 201, body: { account: { personal_team: team } } });
    expect((await signIn(email, password, 1)).status).toBe(200);
    const { account } = readEmail(email);
    const found = await admin.get(kinds.accounts, "", account);
    expect(found?.spec.openToSignUp).toBeUndefined();
    expect((await admin.get(kinds.teams, "", team))?.spec.members).toEqual([
      { account, uid: found?.metadata.uid, role: "owner" },
    ]);
  });

  it("does not take an account that kubectl made without a password; an administrator gives it one", async () => {
    const email = newEmail();
    await makeAccount(email);
    expect(await api("/api/account", { body: { email, password } })).toMatchObject({
      status: 409,
      body: { code: "already_exists" },
    });
    expect((await signIn(email, password)).status).toBe(401);
    expect(await command(["create-account", email], `${password}\n`)).toMatchObject({ code: 0, err: "" });
    expect((await signIn(email, password)).status).toBe(200);
  });

  it("with an address that somebody had before is in none of the teams of then", async () => {
    const [owner, former] = await Promise.all([signUp(), signUp()]);
    const { account } = readEmail(former.email);
    const inTeam = (members: Team["spec"]["members"], uid?: string) =>
      members.map((member) =>
        member.account === account ? { account, ...(uid ? { uid } : {}), role: member.role } : member,
      );
    for (const title of ["bound", "as kubectl writes it"]) {
      const { id } = (await api("/api/teams", { token: owner.token, body: { name: title } })).body.team;
      await api(`/api/teams/${id}/switch`, { method: "POST", token: owner.token });
      expect((await enroll(owner, id, former)).status).toBe(200);
      const team = await admin.get(kinds.teams, "", id);
      if (team === undefined) throw new Error("no team");
      if (title !== "bound")
        await admin.update(kinds.teams, { ...team, spec: { ...team.spec, members: inTeam(team.spec.members) } });
    }
    const listed = async (token: string) =>
      (await api("/api/teams", { token })).body.data.map(({ id }: { id: string }) => id);
    expect(await listed(former.token)).toHaveLength(3);

    const found = await admin.get(kinds.accounts, "", account);
    await admin.remove(kinds.accounts, "", account, found?.metadata.uid ?? "");
    await until("it to be gone", async () => (await api("/api/account", { token: former.token })).status === 401);
    const next = await signUp(former.email);
    expect(next.team).not.toBe(former.team);
    expect(await listed(next.token)).toEqual([next.team]);
    expect((await api("/api/migrations", { token: next.token })).body.data).toEqual([]);
    for (const replica of [0, 1])
      for (const id of [former.team, ...(await listed(owner.token))])
        expect(await api(`/api/teams/${id}/switch`, { method: "POST", token: next.token, replica })).toMatchObject({
          status: 403,
          body: { code: "not_a_member" },
        });
    const acting = (await api("/api/account", { token: owner.token })).body.acting_team;
    const members = (await api(`/api/teams/${acting}/members`, { token: owner.token })).body.data;
    expect(members).toContainEqual({ account, email: null, role: "member", accepted: true });
    // Added again, it is this person.
    expect((await enroll(owner, acting, next)).status).toBe(200);
    expect((await api(`/api/teams/${acting}/switch`, { method: "POST", token: next.token })).status).toBe(200);
    expect((await api(`/api/teams/${acting}/members`, { token: next.token })).body.data).toHaveLength(2);
  });
});
