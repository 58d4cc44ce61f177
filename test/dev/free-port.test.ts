import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../dev/terminal/run.ts";
import { clone } from "./sandbox.ts";

test("where every port is taken the search for a free one ends, with the reason and the next step", async () => {
  const words = `import { createServer } from "node:net";
    import { freePort } from ${JSON.stringify(join(clone, "dev/databases/free-port.ts"))};
    for (let port = 10_000; port < 10_020; port++) createServer().listen(port, "127.0.0.1");
    await freePort().then(console.log, (error) => console.log(error.message, error.next));
    process.exit();`;
  // The kernel gives away all ports from 10020 on, in a network of the test's own.
  const setup = 'ip link set lo up; echo 10020 60999 > /proc/sys/net/ipv4/ip_local_port_range; exec "$@"';
  const node = [process.execPath, "--input-type=module-typescript", "-e", words];
  const { stdout } = await run("unshare", ["--net", "sh", "-c", setup, "sh", ...node]);
  expect(stdout).toMatch(/^No port of 127\.0\.0\.1 from 10000 to 10019 is free \(listen EADDRINUSE: /);
  expect(stdout).toContain("run the command again");
});
