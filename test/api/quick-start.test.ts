import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installed } from "../../src/resources/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { complete, pair } from "./migrations-play.ts";
import { admin, api, newEmail, type Person, provided, signUp } from "./world.ts";

/** The examples of docs/quick-start.md, taken from the page and run as they stand there. */

const page = readFileSync(join(import.meta.dirname, "../../docs/quick-start.md"), "utf8");
const examples = new Map(
  [...page.matchAll(/<!-- example: (\S+) -->\n\n```\w+\n([\s\S]*?)```/g)].map(([, name = "", text = ""]) => [
    name,
    text,
  ]),
);
const ca = join(provided.folder, installed.apiTls, "ca.crt");

async function run(program: string, name: string, env: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "example-"));
  writeFileSync(join(folder, name), examples.get(name) ?? "");
  const child = spawn(program, [name], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      CURL_CA_BUNDLE: ca,
      NODE_EXTRA_CA_CERTS: ca,
      SSL_CERT_FILE: ca,
      ROWFERRY_URL: provided.baseUrl,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  expect(code, err).toBe(0);
  return out;
}

test("the page's examples are those that are run here", () => {
  expect([...examples.keys()]).toEqual(["token.sh", "copy.sh", "copy.mts", "copy.py"]);
});

test("the token that the page's calls make is one", async () => {
  const email = newEmail();
  const said = await run("bash", "token.sh", { EMAIL: email, PASSWORD: "correct horse battery" });
  const [token] = /[1-9]\d{14}\|rfy_\w{49}/.exec(said) ?? [];
  expect(await api("/api/account", { token: token ?? "" })).toMatchObject({ status: 200, body: { email } });
});

const created = async ({ namespace }: Person) => (await admin.list(kinds.migrations, { namespace }))[0]?.metadata.name;

test.each([
  ["curl", "bash", "copy.sh"],
  ["TypeScript", process.execPath, "copy.mts"],
  ["Python", "python3", "copy.py"],
])("%s creates a migration and polls it to its end", async (_, program, name) => {
  const person = await signUp();
  const ran = run(program, name, {
    ROWFERRY_TOKEN: person.token,
    SOURCE_URL: pair.source_url,
    TARGET_URL: pair.target_url,
  });
  const ended = ran.catch(() => "");
  const id = await Promise.race([until("the migration to be there", () => created(person)), ended.then(() => "")]);
  if (id !== "") await complete(person, id, 3);
  expect(JSON.parse(await ran)).toMatchObject({ id, status: "completed" });
});
