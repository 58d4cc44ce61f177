import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../terminal/run.ts";

const render = (input: string, ...pairs: string[]) =>
  run(process.execPath, [join(import.meta.dirname, "post-render.mjs"), ...pairs], { input });

test("every text is replaced wherever it is, and one that no manifest has is an error", async () => {
  const { stdout } = await render(
    "a: https://one.svc:8443\nb: https://one.svc:8443/x\n",
    "https://one.svc:8443=https://localhost:1",
  );
  expect(stdout).toBe("a: https://localhost:1\nb: https://localhost:1/x\n");
  await expect(render("a: b\n", "https://one.svc:8443=https://localhost:1")).rejects.toThrow(
    "no manifest has https://one.svc:8443",
  );
});
