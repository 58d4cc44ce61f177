import { type CopyHooks, type CopyRequest, EngineError } from "./contract.ts";
import { openReading, sizeOf } from "./opened.ts";

/**
 * Measures the source before anything is written, with the same function as a price quote. Without `mostBytes` it does nothing. Throws
 * EngineError `source_too_large`, and what a server that cannot be reached throws.
 */
export async function checkSourceSize(
  { source, target, mostBytes }: Pick<CopyRequest, "source" | "target" | "mostBytes">,
  { signal, measured }: Pick<CopyHooks, "signal" | "measured">,
): Promise<void> {
  if (mostBytes === undefined) return;
  const opened = await openReading(source, { role: "source", program: "rowferry", signal });
  let size: number;
  try {
    size = await sizeOf(opened);
  } finally {
    await opened.session.end();
  }
  measured(size, source.engine === target.engine ? "transfer" : "conversion");
  if (size <= mostBytes) return;
  const message = `the source has ${size} bytes, and this run may copy at most ${mostBytes}; nothing was written`;
  throw new EngineError("source_too_large", message, { side: "source" });
}
