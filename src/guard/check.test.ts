import { expect, test } from "vitest";
import { checkUserUrl } from "./check.ts";
import { UrlError } from "./url.ts";

const codeOf = (url: string): string => {
  try {
    checkUserUrl(url, {});
    return "passes";
  } catch (error) {
    if (error instanceof UrlError) return error.code;
    throw error;
  }
};

test.each([
  "mysql://user:password@db.shop.io/shop",
  "postgres://username:pass@8.8.8.8/shop",
  "mysql://<user>:<password>@<host>/<database>",
  "mysql://$DB_USER:$DB_PASSWORD@db.shop.io/shop",
  "mysql://{{user}}:{{password}}@db.shop.io/shop",
  "mysql://a:your_password@db.shop.io/shop",
  "mysql://a:***@db.shop.io/shop",
  "mysql://a:%3Cpassword%3E@db.shop.io/shop",
  "mysql://a:b@host:3306/shop",
  "mysql://a:b@your-host/shop",
  "mysql://a:b@db.example.com/shop",
  "postgres://a:b@example.org/shop",
  "postgres://a:b@db.example/shop",
  "postgres://a:b@db.shop.io/your_database",
])("%s is an example", (url) => expect(codeOf(url)).toBe("url_placeholder"));

test.each([
  "mysql://shop:password@db.shop.io/shop",
  "mysql://user:f00-bar@db.shop.io/shop",
  "mysql://a:b@my-example.com/shop",
  "mysql://a:$ecret@db.shop.io/shop",
  "mysql://a:%7B8f-x2%7D@db.shop.io/shop",
  "mysql://a:b@hosting.net/host",
  "mysql://a:x%3Cy%3Ez@db.shop.io/password",
])("%s is not", (url) => expect(codeOf(url)).toBe("passes"));

test("the endpoint has the guard and the host as DNS knows it", () => {
  const policy = { allow: ["10.0.0.0/8"], refuse: [] };
  expect(checkUserUrl("mysql://a:b@DB.Bücher.de/x", { policy }).endpoint).toMatchObject({
    host: "db.xn--bcher-kva.de",
    guard: policy,
  });
  expect(checkUserUrl("mysql://a:b@10.1.2.3/x", { policy }).endpoint.host).toBe("10.1.2.3");
});

test("ways to write the same database have one canonical form, others another", () => {
  const canonical = (url: string, ca?: string) => checkUserUrl(url, ca === undefined ? {} : { ca }).canonical;
  const one = canonical("mysql://a:b@db.shop.io/x");
  for (const same of [
    "mariadb://a:b@DB.shop.io./x",
    " mysql://a:b@db.shop.io:3306/x?sslmode=prefer&connect_timeout=3",
    "MYSQL://%61:%62@db.shop.io/%78",
  ])
    expect(canonical(same)).toBe(one);
  for (const other of [
    "postgres://a:b@db.shop.io:3306/x",
    "mysql://a:b@db.shop.io:3307/x",
    "mysql://a:c@db.shop.io/x",
    "mysql://a:b@db.shop.io/y",
    "mysql://a:b@db.shop.io/x?sslmode=require",
  ])
    expect(canonical(other)).not.toBe(one);
});
