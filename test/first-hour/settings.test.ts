import { expect, test } from "vitest";
import { cleanEnvironment } from "./settings.ts";

test("a clean root learns how registries are reached, and nothing else of this machine", () => {
  const given = {
    SSL_CERT_FILE: "/c.pem",
    https_proxy: "http://p:3128",
    ROWFERRY_CACHE: "/x",
    NODE_OPTIONS: "-r y",
    A: "1",
  };
  expect(cleanEnvironment(given)).toEqual({
    PATH: expect.stringMatching(/^\/usr\/local\/sbin:.*:\/usr\/local\/go\/bin$/),
    HOME: "/root",
    LANG: "C.UTF-8",
    TERM: "dumb",
    SSL_CERT_FILE: "/c.pem",
    https_proxy: "http://p:3128",
  });
});
