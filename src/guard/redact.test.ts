import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createRedactor } from "./redact.ts";

const password = `pl4nted/é"s 'e\\cret+%&@😀`;
const url = `mysql://shop:${encodeURIComponent(password)}@db.example:3306/shop?sslmode=require`;

function redactor() {
  const made = createRedactor();
  made.learnUrl(url);
  return made;
}

const everyByte = [...Buffer.from(password)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

describe("a planted password is taken out", () => {
  it.each([
    ["plain", password],
    ["the whole URL", url],
    ["the URL in JSON", JSON.stringify({ url })],
    ["percent-encoded", encodeURIComponent(password)],
    ["percent-encoded in every byte", everyByte],
    ["percent-encoded in capitals", everyByte.toUpperCase()],
    ["percent-encoded in part", encodeURI(password)],
    ["as a form field", new URLSearchParams({ password }).toString()],
    ["in JSON", JSON.stringify({ password })],
    ["in JSON in JSON", JSON.stringify({ password: encodeURIComponent(JSON.stringify(password)) })],
    ["in a SQL literal", `ALTER USER shop IDENTIFIED BY '${password.replaceAll("'", "''")}'`],
    ["in base64", Buffer.from(password).toString("base64")],
    ["in base64, one byte on", Buffer.from(`:${password}`).toString("base64")],
    ["in base64, two bytes on, with a tail", Buffer.from(`::${password}tail`).toString("base64")],
    ["as HTTP's basic credentials", Buffer.from(`shop:${password}`).toString("base64")],
    ["in base64url", Buffer.from(`a:${password}`).toString("base64url")],
    ["in hex", Buffer.from(password).toString("hex")],
    ["as node prints a buffer", String(Buffer.from(password).toString("hex").match(/../g)?.join(" "))],
  ])("%s", (_name, text) => {
    const cleaned = redactor().clean(`before ${text} after`);
    expect(cleaned).toContain("[redacted]");
    for (const part of ["pl4nted", "cret", Buffer.from("pl4nt").toString("base64").slice(0, 6), "706c346e746564"]) {
      expect(cleaned.replaceAll(" ", "")).not.toContain(part);
    }
    expect(cleaned.startsWith("before ")).toBe(true);
    expect(cleaned.endsWith(" after")).toBe(true);
  });
});

it("a malformed URL's password is taken out too", () => {
  const made = createRedactor();
  made.learnUrl("postgres://shop:se/cr@et:x@db/shop");
  expect(made.clean("cannot connect with se/cr@et:x to db")).toBe("cannot connect with [redacted] to db");
});

it("a password longer than a regular expression may be is taken out whole, alone and in its URL", () => {
  const long = Array.from({ length: 125 }, (_, at) => createHash("sha256").update(String(at)).digest("hex")).join("");
  const url = `mysql://shop:${long}@db/shop`;
  const made = createRedactor();
  made.learnUrl(url);
  expect(made.clean(`a ${long} b`)).toMatch(/^a (\[redacted\])+ b$/);
  expect(made.clean(`a ${url} b`)).toMatch(/^a mysql:\/\/shop:(\[redacted\])+@db\/shop b$/);
  expect(made.clean(`a ${encodeURIComponent(url)} b`)).not.toContain(long.slice(4000, 4010));
  const odd = createRedactor();
  odd.learnUrl("x".repeat(20_000));
  expect(odd.clean(`a ${"x".repeat(20_000)} b`)).toMatch(/^a (\[redacted\])+ b$/);
});

it("other text is left as it is", () => {
  const text = "Copied 17 tables of shop from db.example:3306: 1.2 GB at 100%";
  expect(redactor().clean(text)).toBe(text);
});

it("a password of two characters does not make the log unreadable", () => {
  const made = createRedactor();
  made.learnUrl("mysql://a:os@db/x");
  expect(made.clean("closed")).toBe("closed");
  expect(made.clean("dial mysql://a:os@db/x")).toBe("dial [redacted]");
});

describe("no secret makes the redactor hang, whatever the text is", () => {
  const texts = ["\\", "'", "''\\", "%5c", "%5C\\", "!\\", "a\\", "\\u0027", "%", "\u0000", " ", "+"].map((unit) =>
    unit.repeat(20_000),
  );
  it.each([
    ["backslashes", "\\".repeat(20)],
    ["quotes", "'".repeat(30)],
    ["quotes behind a letter", `a${"'".repeat(30)}`],
    ["backslashes behind a letter", `a${"\\".repeat(30)}`],
    ["both", "\\'".repeat(20)],
    ["both behind a letter", `a${"'\\".repeat(20)}`],
    ["escapes before marks", "\\!".repeat(20)],
    ["percents", "%5c".repeat(20)],
    ["marks", "!".repeat(30)],
    ["controls", "\n\\n".repeat(20)],
    ["spaces", " ".repeat(30)],
  ])("%s", (_name, secret) => {
    const redactor = createRedactor();
    redactor.learn(secret);
    // A regular expression cannot be interrupted but by the virtual machine's own watch.
    const clean = (text: string) =>
      runInNewContext("clean()", { clean: () => redactor.clean(text) }, { timeout: 10_000 });
    for (const text of texts) expect(clean(`${text}x`)).toMatch(/x$/);
    for (const form of [secret, JSON.stringify(secret), secret.replaceAll("'", "''"), encodeURIComponent(secret)])
      expect(clean(`<${form}>`)).toContain("[redacted]");
  });
});
