import { type Browser, chromium, type Page } from "playwright-core";

/** A real Chromium. Every page has a context of its own, without cookies. */
export interface Person {
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<Person> {
  const browser: Browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    // The tests run as root, where Chromium has no sandbox of its own.
    args: ["--no-sandbox"],
  });
  return {
    async open(url) {
      // The API's certificate is of the operator's own CA.
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    close: () => browser.close(),
  };
}
