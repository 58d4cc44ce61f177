import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dockerfilePins, parseDockerfile } from "./dockerfile.ts";
import { readRecipe } from "./recipes.ts";

const file = readFileSync(join(import.meta.dirname, "..", "..", "Dockerfile"), "utf8");

describe("parseDockerfile", () => {
  test("reads the last stage alone", () => {
    const parsed = parseDockerfile(
      'FROM a AS one\nENV X=1\nWORKDIR /w\nRUN make \\\n && more\nFROM scratch\n# c\nCOPY --from=one /w/x /y\nUSER 5:5\nENTRYPOINT ["n"]\n',
    );
    expect(parsed).toEqual({
      stages: { one: "a" },
      folders: { one: "/w" },
      copies: [{ stage: "one", from: "/w/x", to: "/y" }],
      config: { env: [], user: "5:5", workingDir: "/", entrypoint: ["n"], cmd: [] },
    });
  });

  test("knows a base image by the argument that pins it", () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const text = `ARG BASE=a:1@${digest}\nFROM \${BASE} AS one\nFROM scratch\nCOPY --from=one / /\n`;
    expect(dockerfilePins(text)).toEqual([{ argument: "BASE", name: "a", tag: "1", digest }]);
    expect(parseDockerfile(text).stages).toEqual({ one: "a:1" });
  });

  test.each(["RUN x", "ENV A=$B", 'LABEL a="b"', "COPY x y", "ENTRYPOINT node", "CMD 1"])(
    "refuses what the offline build cannot do: %s",
    (line) => {
      expect(() => parseDockerfile(`FROM scratch\n${line}\n`)).toThrow(
        `Dockerfile: the offline build does not understand "${line}"`,
      );
    },
  );
});

describe("Rowferry's Dockerfile", () => {
  const { stages, copies, config } = parseDockerfile(file);

  test("starts from the suite that the offline build uses", () => {
    expect(stages["root"]).toBe(`debian:${readRecipe("app").suite}-slim`);
  });

  test("takes Node from the official image, and pins every base image by a digest", () => {
    expect(stages["node"]).toBe("node:24-slim");
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const pins = dockerfilePins(file).map(({ argument }) => `\${${argument}}`);
    expect(bases.filter((base) => base !== "scratch" && !Object.hasOwn(stages, base ?? ""))).toEqual(pins);
  });

  test("hands its steps the same files as the offline build", () => {
    const line = /^COPY (dev\/image.*) \/recipe\/$/m.exec(file)?.[1] ?? "";
    const names = line.split(" ").map((path) => path.split("/").at(-1));
    expect(names.sort()).toEqual(Object.keys(readRecipe("app").files).sort());
  });

  test("makes an image of three layers that runs node as a user with a number", () => {
    expect(copies.map(({ to }) => to)).toEqual(["/", "/usr/bin/node", "/app"]);
    expect(config).toMatchObject({ user: "65532:65532", entrypoint: ["node"] });
    expect(config.env).toContain("PATH=/usr/lib/postgresql/18/bin:/usr/bin");
  });
});
