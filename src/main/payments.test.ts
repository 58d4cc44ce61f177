import { expect, test } from "vitest";
import { createInstallation } from "./payments.ts";

test("the installation is asked for again after a failure, and not after an answer", async () => {
  const answers = [new Error("no route"), undefined, { metadata: { uid: "u-1" } }, { metadata: { uid: "u-2" } }];
  const get = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const installation = createInstallation({ get } as unknown as Parameters<typeof createInstallation>[0], "rowferry");
  await expect(installation()).rejects.toThrow("no route");
  await expect(installation()).rejects.toThrow("namespace rowferry does not exist");
  expect(await Promise.all([installation(), installation()])).toEqual(["u-1", "u-1"]);
  expect(await installation()).toBe("u-1");
});
