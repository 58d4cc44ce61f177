import { expect, test } from "vitest";
import { buildArguments, referenceOf } from "./docker.ts";
import { databasePins, pinned } from "./pins.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const dockerfile = `ARG NODE_IMAGE=node:24-slim@${digest}\nFROM \${NODE_IMAGE} AS node\n`;

test("an image's reference follows from its content", () => {
  expect(referenceOf("app", `${digest}\n`)).toBe("rowferry.dev/app:abababababab");
  expect(() => referenceOf("app", "app:latest")).toThrow("app:latest");
});

test("docker build takes the base images by their digests, and by their tags where that is asked for", () => {
  expect(buildArguments(dockerfile, "/id", {})).toEqual(["build", "--iidfile", "/id", expect.any(String)]);
  expect(buildArguments(dockerfile, "/id", { ROWFERRY_IMAGES: "by-tag" })).toContain("NODE_IMAGE=node:24-slim");
});

test.each(Object.values(databasePins))("$name:$tag has a digest", (pin) => {
  expect(pinned(pin, {})).toMatch(/^[a-z]+:[\d.]+@sha256:[0-9a-f]{64}$/);
  expect(pinned(pin, { ROWFERRY_IMAGES: "by-tag" })).toBe(`${pin.name}:${pin.tag}`);
});
