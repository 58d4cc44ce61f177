// npm run chaos [-- --seed N] [--rounds N] [--from N] [--only DIRECTION]: 200 rounds over the directions, or as many as asked for.
import { parseArgs } from "node:util";
import { runCommand } from "../../dev/terminal/command.ts";
import { play } from "./play.ts";
import { type Direction, directions } from "./scene.ts";

await runCommand("chaos", async ({ terminal }) => {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      rounds: { type: "string", default: "200" },
      from: { type: "string", default: "0" },
      only: { type: "string" },
    },
  });
  const only = directions.find((direction) => direction === values.only) as Direction | undefined;
  if (values.only !== undefined && only === undefined) throw new Error(`--only takes one of ${directions.join(", ")}`);
  const rounds = Math.ceil(Number(values.rounds) / (only === undefined ? directions.length : 1));
  const options = {
    seed: Number(values.seed),
    from: Number(values.from),
    rounds,
    ...(only === undefined ? {} : { only }),
  };
  const played = await play(options, (line) => terminal.line(line));
  console.log(`seed ${values.seed}: ${played.rounds} rounds, ${played.failures.length} failed`);
  return played.failures.length === 0 ? 0 : 1;
});
