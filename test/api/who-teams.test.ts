import { describe, expect, it } from "vitest";
import { readEmail } from "../../src/requests/accounts/email.ts";
import { mostOwnTeams } from "../../src/resources/account.ts";
import { labels } from "../../src/resources/group.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import type { Answer } from "./http.ts";
import { add, createTeam, list, pair, problem, remove, type Shown, switchTo, team, teamsOf } from "./who-play.ts";
import { admin, api, signUp } from "./world.ts";

/** Teams, and which of them acts, over two replicas. */

describe("a new team", () => {
  it("has its namespace, its maker as owner, and does not act yet", async () => {
    const person = await signUp();
    const made = await createTeam(person, "Data platform 🐎");
    expect(made).toMatchObject({
      name: "Data platform 🐎",
      role: "owner",
      acting: false,
      personal: false,
      members: 1,
      ready: true,
    });
    expect(made.id).toMatch(/^t[0-9a-f]{20}$/);
    expect(await admin.get(kinds.namespaces, "", `rowferry-${made.id}`)).toBeDefined();
    const shown = await teamsOf(person, 1);
    expect(shown.map(({ id, acting, personal }) => ({ id, acting, personal }))).toEqual(
      expect.arrayContaining([
        { id: made.id, acting: false, personal: false },
        { id: person.team, acting: true, personal: true },
      ]),
    );
    expect(shown).toHaveLength(2);
  });

  it("is shown as the maker's own and ready right after it is made, on both replicas", async () => {
    const person = await signUp();
    // What they read of the account in this second says nothing of the team.
    await Promise.all([0, 1].map((replica) => teamsOf(person, replica)));
    const { id } = await createTeam(person);
    for (const replica of [0, 1]) {
      const shown = await until("it to be listed", async () =>
        (await teamsOf(person, replica)).find((one) => one.id === id && (one.ready || replica === 0)),
      );
      expect(shown).toMatchObject({ own: true, ready: true });
    }
  });

  it.each([1, 2])("is one of twenty at most, also of fifty that are asked for at the same time: %i", async () => {
    const person = await signUp();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        api("/api/teams", { token: person.token, body: { name: `n ${at}` }, replica: at % 2 }),
      ),
    );
    const passed = answers.filter(({ status }) => status === 201).length;
    expect(passed).toBeLessThanOrEqual(mostOwnTeams);
    for (const answer of answers) expect(["201 undefined", "409 limit_reached", "503 busy"]).toContain(problem(answer));
    const { account } = readEmail(person.email);
    const made = await admin.list(kinds.teams, { labelSelector: `${labels.account}=${account}` });
    expect(made).toHaveLength(passed);
    // What was refused as busy may be asked for again.
    let more = passed;
    while (more < mostOwnTeams) {
      expect((await api("/api/teams", { token: person.token, body: { name: "more" } })).status).toBe(201);
      more += 1;
    }
    expect(problem(await api("/api/teams", { token: person.token, body: { name: "more" } }))).toBe("409 limit_reached");
  });

  it("is one of twenty at most", async () => {
    const person = await signUp();
    const answers: Answer[] = [];
    for (let count = 0; count <= mostOwnTeams; count += 1)
      answers.push(await api("/api/teams", { token: person.token, body: { name: `n ${count}` } }));
    expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(answers.slice(0, -1).map(() => 201));
    expect(answers.slice(-1).map(problem)).toEqual(["409 limit_reached"]);
    const page = await api("/api/teams?limit=15", { token: person.token });
    const rest = await api(`/api/teams?limit=15&cursor=${page.body.next_cursor}`, { token: person.token, replica: 1 });
    const ids = [...page.body.data, ...rest.body.data].map(({ id }: Shown) => id);
    expect(new Set(ids).size).toBe(mostOwnTeams + 1);
    expect(rest.body.next_cursor).toBeNull();
  });

  it.each([
    [{}],
    [{ name: "" }],
    [{ name: " x" }],
    [{ name: "a\nb" }],
    [{ name: "a\u202eb" }],
    [{ name: "x".repeat(101) }],
    [{ name: 1 }],
    [{ name: "x", members: [] }],
  ])("of %j is refused", async (body) => {
    expect(problem(await api("/api/teams", { token: (await signUp()).token, body }))).toBe("422 invalid");
  });
});

describe.concurrent("a switch", () => {
  it("holds for the next request on every replica, for every token and session", async ({ expect }) => {
    const person = await signUp();
    const { id } = await createTeam(person);
    const own = await api("/api/migrations", { token: person.token, body: pair });
    expect(own.status).toBe(201);
    const migration = own.body.migration.id;
    for (const [to, status, count] of [
      [id, 403, 0],
      [person.team, 200, 1],
      [id, 403, 0],
    ] as const) {
      expect((await switchTo(person, to, 1)).status).toBe(200);
      for (const replica of [0, 1]) {
        expect((await api(`/api/migrations/${migration}`, { token: person.token, replica })).status).toBe(status);
        expect((await api(`/api/migrations/${migration}`, { cookie: person.cookie, replica })).status).toBe(status);
        expect((await list(person, replica)).body.data).toHaveLength(count);
        expect((await api("/api/account", { cookie: person.cookie, replica })).body.acting_team).toBe(to);
      }
    }
  });

  it("of two at once ends in one of them, on both replicas", async ({ expect }) => {
    const person = await signUp();
    const { id } = await createTeam(person);
    const answers = await Promise.all([switchTo(person, id, 0), switchTo(person, person.team, 1)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const acting = await Promise.all(
      [0, 1].map(async (replica) => (await api("/api/account", { token: person.token, replica })).body.acting_team),
    );
    expect(acting[0]).toBe(acting[1]);
  });

  it("to another's team, to none, or to what cannot be one is refused", async ({ expect }) => {
    const [person, other] = await Promise.all([signUp(), signUp()]);
    expect(problem(await switchTo(person, other.team))).toBe("403 not_a_member");
    expect(problem(await switchTo(person, `t${"0".repeat(20)}`))).toBe("404 not_found");
    expect(problem(await switchTo(person, "..%2faccounts"))).toBe("422 invalid");
    expect(problem(await switchTo(person, "T1"))).toBe("422 invalid");
    expect((await api("/api/account", { token: person.token })).body.acting_team).toBe(person.team);
  });
});

it("What is asked of a team that is not acting is refused, the caller's own or not, and an unknown one is not there", async () => {
  const { id, owner } = await team();
  const stranger = await signUp();
  for (const [person, of, answer] of [
    [owner, owner.team, "403 other_team"],
    [stranger, id, "403 other_team"],
    [stranger, `t${"0".repeat(20)}`, "404 not_found"],
  ] as const) {
    expect(problem(await api(`/api/teams/${of}/members`, { token: person.token }))).toBe(answer);
    expect(problem(await add(person, of, owner.email))).toBe(answer);
    expect(problem(await remove(person, of, owner))).toBe(answer);
  }
});

it("A team whose object kubectl deletes is nobody's acting team any more", async () => {
  const { id, owner, member } = await team();
  const found = await admin.get(kinds.teams, "", id);
  await admin.remove(kinds.teams, "", id, found?.metadata.uid ?? "");
  await until("both to be refused", async () => {
    const answers = await Promise.all([list(owner), list(member, 1)]);
    return answers.every((answer) => problem(answer) === "403 not_a_member");
  });
  expect((await switchTo(owner, owner.team)).status).toBe(200);
  expect((await list(owner)).status).toBe(200);
});
