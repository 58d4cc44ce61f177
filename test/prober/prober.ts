import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CertificateAndKey, makeCa } from "../../src/guard/certificate.ts";
import { createProberClient, type ProberClient } from "../../src/prober/client.ts";
import type { TlsFiles } from "../../src/prober/tls-files.ts";
import { bundled } from "../bundle.ts";
import { startNode } from "../node-process.ts";
import { certificateOf } from "./certificates.ts";

/** The prober as a process of its own, from bundles as in the image, with a CA and certificates of its own. */
export interface RunningProber {
  url: string;
  healthUrl: string;
  pid: number;
  ca: CertificateAndKey;
  /** The API's certificate. */
  api: TlsFiles;
  client: ProberClient;
  /** Where its certificate's files are. */
  folder: string;
  output(): string;
  /** Writes other certificate files, as a renewed Secret has. */
  renew(files: TlsFiles): Promise<void>;
  /** In order, by SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export async function startProber(environment: Record<string, string> = {}): Promise<RunningProber> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-prober-tls-"));
  const ca = await makeCa("Rowferry's CA of a test", new Date());
  const [own, api] = await Promise.all([certificateOf(ca, "rowferry-prober"), certificateOf(ca, "rowferry-api")]);
  const renew = async (files: TlsFiles) => {
    await writeFile(join(folder, "tls.crt"), files.cert);
    await writeFile(join(folder, "tls.key"), files.key, { mode: 0o600 });
    await writeFile(join(folder, "ca.crt"), files.ca);
  };
  await renew(own);
  const started = await startNode({
    name: "the prober",
    file: join(await bundled("prober"), "prober.js"),
    cwd: folder,
    env: {
      ROWFERRY_PROBER_CERT: join(folder, "tls.crt"),
      ROWFERRY_PROBER_KEY: join(folder, "tls.key"),
      ROWFERRY_PROBER_CA: join(folder, "ca.crt"),
      ROWFERRY_PROBER_CERT_SECONDS: "1",
      ROWFERRY_PROBER_PORT: "0",
      ROWFERRY_HEALTH_PORT: "0",
      ROWFERRY_LISTEN_HOST: "127.0.0.1",
      ...environment,
    },
  });
  const url = `https://127.0.0.1:${started.started.port}`;
  const client = createProberClient({ url, tls: () => api });
  return {
    url,
    healthUrl: started.health,
    pid: started.child.pid ?? 0,
    ca,
    api,
    client,
    folder,
    output: started.output,
    renew,
    async stop() {
      client.close();
      const code = await started.stop();
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}
