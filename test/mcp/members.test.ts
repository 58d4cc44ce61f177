import { expect, test } from "vitest";
import { remove, switchTo, team } from "../api/who-play.ts";
import { api } from "../api/world.ts";
import { connectMcp } from "./client.ts";

const urls = { source_url: "mysql://app:x@127.0.0.1:9/app", target_url: "postgres://app:x@127.0.0.1:9/app" };

test("who was put out of the team sees and changes nothing of it by a client that is still connected, until it acts in another", async () => {
  const { id: teamId, owner, member } = await team();
  const mcp = await connectMcp(member.token, "/mcp-migrations");
  const made = await api("/api/migrations", { token: owner.token, body: urls });
  const { id } = made.body.migration;
  expect((await mcp.call("get-migration-tool", { id })).data).toMatchObject({ id });
  const effect = await mcp.call("delete-migration-tool", { id });
  const { digest } = effect.data.preview;

  expect((await remove(owner, teamId, member)).status).toBe(200);
  for (const [name, input] of [
    ["list-migrations-tool", {}],
    ["get-migration-tool", { id }],
    ["prepare-migration-tool", urls],
    ["delete-migration-tool", { id, confirm: true, digest }],
  ] as const)
    expect(await mcp.call(name, input), name).toMatchObject({
      isError: true,
      text: expect.stringContaining("not_a_member: "),
    });
  expect((await api(`/api/migrations/${id}`, { token: owner.token })).status).toBe(200);

  expect((await switchTo(member, member.team)).status).toBe(200);
  expect((await mcp.call("list-migrations-tool")).data).toMatchObject({ data: [] });
  expect(await mcp.call("get-migration-tool", { id })).toMatchObject({
    isError: true,
    text: expect.stringContaining("other_team: "),
  });
  await mcp.client.close();
});
