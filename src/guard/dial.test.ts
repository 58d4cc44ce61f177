import { describe, expect, test } from "vitest";
import { dial } from "./dial.ts";

const guard = { allow: ["10.0.0.0/8"], refuse: [] };
const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

/** A resolver that gives each of the answers once. */
function resolver(...answers: string[][]) {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (host: string) => {
      asked.push(host);
      const next = answers.shift();
      if (next === undefined) throw new Error("asked once too often");
      return next;
    },
  };
}

test("without a guard the host goes to the driver as it is", async () => {
  expect(await dial({ host: "db" }, async (host) => host, resolver().lookup)).toBe("db");
});

describe("with a guard", () => {
  test("a name is resolved once, and an address is dialled", async () => {
    const { asked, lookup } = resolver(["8.8.8.8"], ["127.0.0.1"]);
    expect(await dial({ host: "db", guard }, async (host) => host, lookup)).toBe("8.8.8.8");
    expect(asked).toEqual(["db"]);
  });

  test("an address is not asked for, and judged", async () => {
    expect(await dial({ host: "10.1.2.3", guard }, async (host) => host, resolver().lookup)).toBe("10.1.2.3");
    const dialled = dial({ host: "::1", guard }, async (host) => host, resolver().lookup);
    await expect(dialled).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  });

  test.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9", "1.0.0.1", "::1"]],
    [["fe80::1%eth0"]],
    [["::ffff:10.0.0.1"]],
  ])("one answer that is not allowed refuses all: %s", async (answers) => {
    let opened = 0;
    const dialled = dial({ host: "db", guard }, async () => opened++, resolver(answers).lookup);
    await expect(dialled).rejects.toMatchObject({ code: "NAME_REFUSED" });
    await expect(dialled).rejects.not.toThrow(/\d+\.\d+|::/);
    expect(opened).toBe(0);
  });

  test.each(["ENOTFOUND", "ENODATA", "EAI_NODATA"])(
    "a name without an address (%s) fails as one whose address is refused: nothing tells them apart",
    async (code) => {
      const failed = (lookup: (host: string) => Promise<string[]>) =>
        dial({ host: "db", guard }, async () => undefined, lookup).catch((error: Error) => ({
          ...error,
          text: String(error),
          cause: error.cause,
        }));
      const refusedByGuard = await failed(async () => ["127.0.0.1"]);
      expect(refusedByGuard).toMatchObject({ code: "NAME_REFUSED", cause: undefined });
      const unknown = async () => {
        throw Object.assign(new Error(`getaddrinfo ${code} db`), { code });
      };
      expect(await failed(unknown)).toEqual(refusedByGuard);
      expect(await failed(async () => [])).toEqual(refusedByGuard);
    },
  );

  test("a resolver that fails just now is asked again, in the same words", async () => {
    const lookup = async () => {
      throw Object.assign(new Error("getaddrinfo EAI_AGAIN db"), { code: "EAI_AGAIN" });
    };
    const dialled = dial({ host: "db", guard }, async () => undefined, lookup);
    await expect(dialled).rejects.toMatchObject({
      code: "NAME_NOT_NOW",
      message: expect.stringContaining("check the name"),
    });
  });

  test("the next address is tried where nobody was reached, four at most, and the last error is told", async () => {
    const tried: string[] = [];
    const answers = ["8.8.8.8", "8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9", "1.0.0.1"];
    const dialled = dial(
      { host: "db", guard },
      async (host) => {
        tried.push(host);
        throw refused;
      },
      resolver(answers).lookup,
    );
    await expect(dialled).rejects.toBe(refused);
    expect(tried).toEqual(["8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9"]);
  });

  test("a server that was reached is not left for another address", async () => {
    const tried: string[] = [];
    const open = async (host: string) => {
      tried.push(host);
      throw new Error("access denied");
    };
    await expect(dial({ host: "db", guard }, open, resolver(["8.8.8.8", "1.1.1.1"]).lookup)).rejects.toThrow("denied");
    expect(tried).toEqual(["8.8.8.8"]);
  });
});
