// A source server, filled once for every direction that starts there.
import type { Database } from "../dev/databases/index.ts";
import type { Terminal } from "../dev/terminal/index.ts";
import { factsOf } from "./equal.ts";
import { inPeers, type Peers } from "./peers.ts";
import { ask, type Engine, emptyDatabase, engineOf, mariadb, open, postgres } from "./servers.ts";
import type { Shape } from "./shape.ts";

/** A server whose database `src` holds the shape. `facts`: what an equal copy has in common with it. */
export type Source = { server: Database; shape: Shape; facts: readonly string[] };

/** Runs `work` with a source that is filled once. Errors: the server's, or `work`'s. */
export const withSource = async (
  engine: Engine,
  shape: Shape,
  { terminal, peers }: { terminal: Terminal; peers: Peers },
  work: (source: Source) => Promise<void>,
): Promise<void> => {
  const server = await open(engine);
  try {
    const facts = await terminal.step(`Fill a ${engine} source (${shape.name}, ${shape.rows} rows)`, async () => {
      await fill(server, shape, peers);
      return factsOf(server, "src", shape);
    });
    await work({ server, shape, facts });
  } finally {
    await server.stop();
  }
};

/** Makes the shape in `src`, with statistics as a server that was used has them. */
const fill = async (server: Database, shape: Shape, peers: Peers): Promise<void> => {
  await emptyDatabase(server, "src");
  const engine = engineOf(server);
  await ask(server, shape.create[engine].tables, "src");
  const load = (table: string) =>
    engine === "mysql"
      ? `LOAD DATA LOCAL INFILE '/mnt/in' INTO TABLE ${table} CHARACTER SET utf8mb4;`
      : `\\copy ${table} FROM '/mnt/in'`;
  const client =
    engine === "mysql"
      ? `${mariadb(server)} --local-infile=1 --init-command="SET time_zone='+00:00', foreign_key_checks=0" src`
      : `PGTZ=UTC psql -X -q -v ON_ERROR_STOP=1 "${postgres(server, "src")}"`;
  const files = { load: shape.tables.map(load).join("\n") };
  await inPeers(peers, `${client} < /mnt/load`, { input: await shape.data(), files });
  if (shape.create[engine].indexes !== "") await ask(server, shape.create[engine].indexes, "src");
  if (engine === "postgres") await ask(server, "ANALYZE", "src");
  else await ask(server, `ANALYZE TABLE ${shape.tables.join(", ")}`, "src");
};
