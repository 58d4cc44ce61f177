import { rootCertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { parseCa } from "./ca.ts";

const [first = "", second = ""] = rootCertificates;

describe("a CA", () => {
  test("of several certificates keeps them all", () => {
    expect(parseCa(`${first}\n${second}\n`)).toEqual({ certificates: `${first}\n${second}\n`, moreText: false });
  });

  test("loses the comments of a bundle, and says that they were there", () => {
    expect(parseCa(`# Root 1\n${first}\n# Root 2\n${second}`)).toEqual({
      certificates: `${first}\n${second}\n`,
      moreText: true,
    });
  });

  test.each([
    ["a path", "/etc/ssl/ca.pem", /must be PEM/],
    ["nothing", "", /must be PEM/],
    ["a certificate without its end", first.slice(0, -10), /must be PEM/],
    [
      "text in a certificate's place",
      `-----BEGIN CERTIFICATE-----\n${"A".repeat(11_000)}\n-----END CERTIFICATE-----`,
      /1 of 1/,
    ],
    ["a second certificate that was changed", `${first}\n${second.replace("\nMII", "\n!II")}`, /2 of 2/],
    ["a private key", "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----", /must be PEM/],
  ])("is refused if it is %s", (_what, text, words) => {
    expect(() => parseCa(text)).toThrow(words);
  });

  test("of hostile text is read in linear time", () => {
    const text = "-----BEGIN CERTIFICATE-----".repeat(400_000);
    expect(() => parseCa(text)).toThrow(/must be PEM/);
  });
});
