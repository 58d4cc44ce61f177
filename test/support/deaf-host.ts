import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";

/** A host of whose port nobody answers: whoever listens there takes nobody, and as many wait as may. */
export async function deafHost(): Promise<{ port: number; stop(): void }> {
  const listens = `require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () {
    require("node:fs").writeSync(1, String(this.address().port)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); })`;
  const child = spawn(process.execPath, ["-e", listens], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(said.toString());
  // Linux lets one more wait than it is told.
  const waiting = [1, 2].map(() => connect(port, "127.0.0.1"));
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  const stop = () => {
    for (const socket of waiting) socket.destroy();
    child.kill("SIGKILL");
  };
  return { port, stop };
}
