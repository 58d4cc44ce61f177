import type { Session } from "../../../postgres/driver/connection.ts";
import { createPipeBlocks, type PipeBlocks } from "../../../rows/copy-pipe.ts";

/** A pair of sessions that copies. */

export interface CopyWorker {
  source: Session;
  target: Session;
  pool: PipeBlocks;
}

export async function openWorker(
  open: (role: "source" | "target", name: string) => Promise<Session>,
  name: string,
): Promise<CopyWorker> {
  const [source, target] = await Promise.all([open("source", name), open("target", name)]);
  return { source, target, pool: createPipeBlocks() };
}
