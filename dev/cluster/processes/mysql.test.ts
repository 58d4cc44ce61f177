import { expect, test } from "vitest";
import { sourcesOf } from "./mysql.ts";

test("Debian's sid is asked, signed by Debian's keys; elsewhere the machine's own sources", () => {
  expect(sourcesOf("http://mirror.example/debian", true)).toBe(
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian sid main\n",
  );
  expect(sourcesOf("http://mirror.example/debian", false)).toBeUndefined();
  expect(sourcesOf(undefined, true)).toBeUndefined();
});
