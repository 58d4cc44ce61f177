import { throwIfAny } from "../../../dev/terminal/failure.ts";
import type { Terminal } from "../../../dev/terminal/index.ts";
import { startControlPlane } from "../../operator/control-plane.ts";
import { installCrds } from "../../operator/operator.ts";
import { controllers } from "../../operator/setup.ts";
import { play, works } from "./play.ts";

/** `npm run chaos -- backups [--seed N] [--kills N]`: 100 kills at random points of run, retention, restore and proof. */
export async function backupsChaos(
  terminal: Terminal,
  signal: AbortSignal,
  { seed, kills }: { seed: number; kills: number },
): Promise<number> {
  terminal.line(`seed ${seed}, ${kills} kills`);
  const plane = await startControlPlane({ controllers: controllers.map((name) => `${name}-controller`).join(",") });
  await installCrds(plane).catch(async (error: unknown) => {
    await plane.stop();
    throw error;
  });
  const played = await play(
    { seed, kills },
    (line) => {
      signal.throwIfAborted();
      terminal.line(line);
    },
    plane,
  );
  const struck = works.map((work) => `${work} ${played.struck[work]}`).join(", ");
  console.log(`seed ${seed}: ${played.kills} kills (met their work: ${struck}), ${played.failures.length} violations`);
  throwIfAny(played.failures, `Run \`npm run chaos -- backups --seed ${seed} --kills ${kills}\` to repeat it.`);
  return 0;
}
