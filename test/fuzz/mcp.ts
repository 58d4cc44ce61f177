import { type McpPlayed, playMcpFuzz } from "../mcp/fuzz-play.ts";
import { openScene } from "./scene.ts";

/** Fuzzes both MCP servers of a real installation, as one account that knows ids of another's migrations too. */
export async function playMcp(seed: number, messages: number, signal: AbortSignal): Promise<McpPlayed> {
  const scene = await openScene();
  try {
    const [ann, bob] = scene.people;
    const [replica] = scene.installation.replicas;
    const played = await playMcpFuzz(
      {
        seed,
        messages,
        token: ann.tokens[0] ?? "",
        known: {
          ids: [
            ...ann.ids.migrations,
            ...ann.ids.backups,
            ...[bob.ids.migrations, bob.ids.backups].map(([one = ""]) => one),
          ],
          runs: [...ann.ids.runs, ...bob.ids.runs.slice(0, 1)],
        },
        ask: scene.caller.ask,
        secrets: [...scene.secrets, bob.canary],
      },
      signal,
    );
    const { exitCode, signalCode } = replica?.child ?? { exitCode: 1, signalCode: null };
    if (exitCode !== null || signalCode !== null)
      played.failures.push({ what: "the API's process ended", how: replica?.output().slice(-5000) ?? "" });
    return played;
  } finally {
    await scene.close();
  }
}
