import { expect, test } from "vitest";
import { chooseMirror } from "./mirror.ts";

test.each([
  ["Debian's own archive", "Debian bookworm http://mirror.example/debian/", "http://mirror.example/debian"],
  [
    "not its security archive",
    "Debian trixie-security http://a.example/debian-security/\nDebian trixie-updates http://b.example/debian/\nDebian trixie http://b.example/debian/",
    "http://b.example/debian",
  ],
  ["not another vendor's", "Ubuntu noble http://u.example/ubuntu/\n", undefined],
  ["nothing known", "", undefined],
])("the mirror is %s", (_, lines, mirror) => {
  expect(chooseMirror(lines)).toBe(mirror);
});
