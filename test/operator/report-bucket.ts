import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { type S3Server, startS3 } from "../../dev/s3/index.ts";

/** A bucket for reports at a real S3 server, which can be stopped and started again with its objects, and the files of its Secret. */
export interface ReportBucketServer {
  /** Of operator and API. */
  env: Record<string, string>;
  /** Folder that the Secret is mounted at. */
  credentials: string;
  /** Secret parts, which nothing else may show. */
  secrets(): string[];
  down(): Promise<void>;
  /** With new credentials, whose files change as the kubelet changes them. */
  up(): Promise<void>;
  keys(): Promise<string[]>;
  get(key: string): Promise<Buffer>;
  put(key: string, bytes: Buffer | string): Promise<void>;
  remove(key: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startReportBucket(prefix = "installation"): Promise<ReportBucketServer> {
  const folder = mkdtempSync(join(tmpdir(), "reports-"));
  const credentials = join(folder, "secret");
  const objects = join(folder, "s3");
  for (const one of [credentials, objects]) mkdirSync(one);
  const write = ({ accessKeyId, secretAccessKey }: S3Server) => {
    for (const [name, value] of Object.entries({ accessKeyId, secretAccessKey }))
      writeFileSync(join(credentials, name), `${value}\n`);
  };
  let s3 = await startS3({ folder: objects, bucket: "reports" });
  let isUp = true;
  const { port, endpoint, region, bucket } = s3;
  write(s3);
  const ask = async <T>(work: (client: S3Client) => Promise<T>): Promise<T> => {
    const { accessKeyId, secretAccessKey } = s3;
    const client = new S3Client({
      ...{ endpoint, region, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" },
      credentials: { accessKeyId, secretAccessKey },
    });
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  };
  const down = async () => {
    if (isUp) await s3.stop();
    isUp = false;
  };
  return {
    env: {
      ROWFERRY_REPORT_BUCKET: JSON.stringify({ bucket, endpoint, region, prefix }),
      ROWFERRY_REPORT_CREDENTIALS: credentials,
    },
    credentials,
    secrets: () => [s3.accessKeyId, s3.secretAccessKey],
    down,
    async up() {
      s3 = await startS3({ folder: objects, bucket: "reports", port });
      isUp = true;
      write(s3);
    },
    keys: () =>
      ask(async (client) => {
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
        return Contents.map(({ Key = "" }) => Key);
      }),
    get: (Key) =>
      ask(async (client) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      }),
    put: (Key, Body) =>
      ask(async (client) => {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
      }),
    remove: (Key) =>
      ask(async (client) => {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      }),
    async stop() {
      await down();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
