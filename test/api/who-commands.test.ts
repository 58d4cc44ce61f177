import { describe, expect, it } from "vitest";
import { readEmail } from "../../src/requests/accounts/email.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { home } from "../operator/operator.ts";
import { command, known, password, signIn } from "./who.ts";
import { newEmail, provided, signUp } from "./world.ts";

/** What an administrator does, and what the API may read. */

describe("by kubectl exec", () => {
  it("an account is made once, with the password from stdin, which is said nowhere", async () => {
    const email = newEmail();
    const made = await command(["create-account", email], password);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain(readEmail(email).account);
    expect((await signIn(email, password)).status).toBe(200);
    const again = await command(["create-account", email], "another password");
    expect(again).toMatchObject({ code: 1, out: "", err: expect.stringContaining("set-password") });
    for (const { out, err } of [made, again]) expect(out + err).not.toMatch(/correct horse|another password/);
    expect((await signIn(email, password)).status).toBe(200);
  });

  it("a lost password is set anew, and sessions end", async () => {
    const { email, cookie, password: old } = await signUp();
    expect(await command(["set-password", email], `${password}\r\n`)).toMatchObject({ code: 0, err: "" });
    expect((await signIn(email, old)).status).toBe(401);
    expect((await signIn(email, password)).status).toBe(200);
    expect(await known(cookie)).toEqual([401, 401]);
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
    expect(err).toMatch(/^(email|password)\b/);
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
