import { describe, expect, test } from "vitest";
import type { GuardPolicy } from "./policy.ts";
import { checkStorageEndpoint } from "./storage-endpoint.ts";
import { UrlError } from "./url.ts";

const strict: GuardPolicy = { allow: [], refuse: [] };
const local: GuardPolicy = { allow: ["127.0.0.1/32"], refuse: [] };

function codeOf(text: string, policy = strict): string {
  try {
    return checkStorageEndpoint(text, policy);
  } catch (error) {
    if (error instanceof UrlError) return error.code;
    throw error;
  }
}

test.each([
  ["https://s3.eu-central-1.amazonaws.com", "https://s3.eu-central-1.amazonaws.com"],
  ["https://S3.Acme.io:9000/", "https://s3.acme.io:9000"],
  ["https://203.0.113.7:443", "https://203.0.113.7"],
])("%s is accepted", (text, shown) => {
  // Documentation's own addresses are not public.
  expect(codeOf(text, { allow: ["203.0.113.0/24"], refuse: [] })).toBe(shown);
});

test("http passes only for an address that the installation allows", () => {
  expect(codeOf("http://127.0.0.1:7070", local)).toBe("http://127.0.0.1:7070");
  expect(codeOf("http://127.0.0.1:7070")).toBe("url_address_refused");
  expect(codeOf("http://s3.acme.io", local)).toBe("url_scheme");
});

describe("an address that a stranger's URL may not lead to is refused in every form", () => {
  test.each([
    "https://localhost",
    "https://127.0.0.1",
    "https://0x7f.1",
    "https://2130706433",
    "https://[::1]:9000",
    "https://[::ffff:127.0.0.1]",
    "https://10.0.0.7",
    "https://192.168.0.1",
    "https://169.254.169.254",
    "https://[fd00:ec2::254]",
    "https://metadata.localhost",
  ])("%s", (text) => expect(codeOf(text)).toBe("url_address_refused"));
});

describe("what is more or less than scheme, host and port is refused", () => {
  test.each([
    "",
    "s3.acme.io",
    "ftp://s3.acme.io",
    "file:///etc/passwd",
    "https://",
    "https://key:secret@s3.acme.io",
    "https://s3.acme.io/bucket",
    "https://s3.acme.io/?list-type=2",
    "https://s3.acme.io#x",
    "https://s3.acme.io\\@127.0.0.1",
    "https://s3.acme.io\n",
    "https://s3.acme.io:99999",
  ])("%j", (text) => expect(codeOf(text)).toBe("url_malformed"));
});

test("an example is no server", () => {
  expect(codeOf("https://s3.example.com")).toBe("url_placeholder");
});
