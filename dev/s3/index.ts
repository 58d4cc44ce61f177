// A storage of the S3 protocol as a process on this machine (versitygw), for the demo and for tests.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { program } from "../cluster/binaries/index.ts";
import { freePort } from "../databases/free-port.ts";
import { failure } from "../terminal/failure.ts";
import { openTerminal, type Terminal } from "../terminal/index.ts";

export type S3Server = {
  endpoint: string;
  port: number;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Holds the buckets as folders. */
  folder: string;
  pid: number;
  stop(): Promise<void>;
};

export type S3Options = {
  /** Keeps the objects, and is left there at the end. By default a temporary one. */
  folder?: string;
  port?: number;
  bucket?: string;
  terminal?: Terminal;
};

const region = "us-east-1";
const startMs = 30_000;

export const startS3 = async ({ folder, port, bucket = "backups", terminal }: S3Options = {}): Promise<S3Server> => {
  const words = terminal ?? openTerminal({ name: "s3" });
  const path = await program("versitygw", "versitygw", { terminal: words }).finally(() => {
    if (terminal === undefined) words.close();
  });
  const kept = folder ?? (await mkdtemp(join(tmpdir(), "s3-")));
  const [objects, metadata] = [join(kept, "objects"), join(kept, "metadata")];
  for (const one of [objects, metadata]) await mkdir(one, { recursive: true });
  const [accessKeyId, secretAccessKey] = [
    `key${randomBytes(6).toString("hex")}`,
    randomBytes(24).toString("base64url"),
  ];
  const listening = port ?? (await freePort());
  const child = spawn(
    path,
    ["--quiet", "--port", `127.0.0.1:${listening}`, "--region", region, "posix", "--sidecar", metadata, objects],
    {
      env: { PATH: process.env["PATH"], ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
  const closed = once(child, "close").finally(() => process.removeListener("exit", kill));
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(kill, 5_000);
    await closed;
    clearTimeout(timer);
    if (folder === undefined) await rm(kept, { recursive: true, force: true });
  };
  try {
    await untilOpen(listening, child, () => said);
    const endpoint = `http://127.0.0.1:${listening}`;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: Error) => {
      if (error.name !== "BucketAlreadyOwnedByYou" && error.name !== "BucketAlreadyExists") throw error;
    });
    client.destroy();
    return { endpoint, port: listening, region, bucket, ...credentials, folder: objects, pid: child.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const untilOpen = async (port: number, child: { exitCode: number | null }, said: () => string): Promise<void> => {
  for (const deadline = performance.now() + startMs; ; await sleep(50)) {
    const socket = connect(port, "127.0.0.1");
    const open = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    if (child.exitCode !== null || performance.now() > deadline)
      throw failure(
        `versitygw does not answer on port ${port}: ${said()}`,
        "Read its output above, and run the command again.",
      );
  }
};
