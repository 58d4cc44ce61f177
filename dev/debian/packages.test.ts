import { expect, test } from "vitest";
import { missingPackages } from "./packages.ts";

test("what several purposes need is listed once, and what exists is left out", () => {
  const here = new Set(["unshare", "openssl", "/usr/share/keyrings/debian-archive-keyring.gpg"]);
  const missing = missingPackages(["cluster", "roots"], (proof) => here.has(proof));
  expect(missing).toEqual(["iproute2", "iptables", "mount", "mmdebstrap"]);
});

test("nothing is missing where everything exists", () => {
  expect(missingPackages(["cluster", "roots", "maven", "python"], () => true)).toEqual([]);
});
