import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bare, call, report } from "../../test/support/cli/call.ts";
import type { CopyHooks, CopyReport, CopyRequest } from "../engine/contract/index.ts";

describe("a password", () => {
  const file = join(mkdtempSync(join(tmpdir(), "pw-")), "secret");
  writeFileSync(file, "from a file\n", { mode: 0o600 });
  const env = { ROWFERRY_SOURCE_PASSWORD: "from env", MYSQL_PWD: "mysql's", PGPASSWORD: "pg's" };
  it.each([
    ["in the URL", ["mysql://r:in%20url@h/d"], {}, "in url"],
    ["in a file, before the environment", ["mysql://r@h/d", "--source-password-file", file], env, "from a file"],
    ["in the environment", ["mysql://r@h/d"], env, "from env"],
    ["in the engine's variable", ["mysql://r@h/d"], { MYSQL_PWD: "mysql's" }, "mysql's"],
    ["of PostgreSQL's variable", ["postgres://r@h/d"], { PGPASSWORD: "pg's" }, "pg's"],
    ["that is empty in the URL, whatever the environment says", ["mysql://r:@h/d"], env, ""],
    ["that nobody gave, where nobody can be asked", ["mysql://r@h/d"], {}, ""],
  ])("%s", async (_name, [url = "", ...flags], given, password) => {
    const { request, stderr, stdout } = await call(["copy", url, bare[1] ?? "", ...flags], { env: given });
    expect(request?.source.password).toBe(password);
    expect(stderr.includes("is in the command line")).toBe(password === "in url");
    if (password !== "") expect(stdout + stderr).not.toContain(password);
  });

  it.each([
    ["mysql://u:s3cr/et@h/d"],
    ["mysql://u:s3cr@et@h/d"],
    ["mysql://u:s3cr#et@h/d"],
    ["mysql://u:s3cr?et@h/d"],
    ["s3cr://u:s3cr@h/d"],
  ])("that makes its URL malformed is not repeated: %s", async (url) => {
    const { code, stdout, stderr } = await call(["copy", url, bare[1] ?? "", "--json"]);
    expect(code).toBe(2);
    expect((stdout + stderr).replace("s3cr://", "")).not.toContain("s3cr");
  });

  it("that is not in the URL leaves the URL readable in what is written", async () => {
    const { stderr } = await call(["copy", ...bare]);
    expect(stderr).toContain("Copying mysql://reader@DB.invalid:3306/shop to postgres://shop@db.invalid:5432/shop");
  });

  it("is asked for at a terminal, and corrected there", async () => {
    const { request, stderr } = await call(["copy", bare[0] ?? "", "postgres://a:b1234@h/d"], {
      terminal: true,
      typed: "wrong\u0015sécx\u007fret\r",
    });
    expect(request?.source.password).toBe("sécret");
    expect(stderr).toContain("Password of reader at DB.invalid:3306 (source): ");
    expect(stderr).not.toContain("sécret");
  });

  it("Ctrl-C at the question ends with 130", async () => {
    expect((await call(["copy", ...bare], { terminal: true, typed: "abc\u0003" })).code).toBe(130);
  });

  it("is in nothing that is written, whoever repeats it", async () => {
    const leak = (request: CopyRequest, hooks: CopyHooks): CopyReport => {
      hooks.log("warning", `with ${request.source.password} and ${encodeURIComponent(request.source.password)}`);
      return { ...report, warnings: [`said ${request.source.password}`] };
    };
    for (const flags of [["--json", "--progress", "json"], []]) {
      const { stdout, stderr } = await call(["copy", ...bare, ...flags], {
        env: { MYSQL_PWD: "pl4nted/p ss%" },
        engine: leak,
      });
      expect(stdout + stderr).not.toMatch(/pl4nted/);
      expect(stderr).toContain("[redacted]");
    }
  });
});
