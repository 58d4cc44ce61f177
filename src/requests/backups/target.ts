import type { CheckedUrl } from "../../guard/check.ts";
import { clean } from "../../guard/text.ts";
import type { BackupRun } from "../../resources/backup/run.ts";
import { Problem } from "../errors.ts";
import { urlDigest } from "../migrations/view/places.ts";
import type { ProbeCaller, RestoreTargetFacts } from "../prober.ts";
import type { Caller, World } from "../world.ts";
import type { RunsOwner } from "./find.ts";
import { marks } from "./marks.ts";
import type { RestoreInput } from "./shapes.ts";

/** What a restore would meet in its target, before anything is written. */
export interface SeenTarget extends RestoreTargetFacts {
  /** It is the database that the schedule backs up. */
  own: boolean;
  /** It is of another engine than the backup. */
  converts: boolean;
  /** The same for the same database, and nothing to learn a URL from. */
  digest: string;
}

/** With what was seen, for a preview. */
export class TargetNotEmpty extends Problem {
  readonly seen: SeenTarget;
  constructor(seen: SeenTarget) {
    const { objects, own } = seen;
    const which = own ? "is the one that this schedule backs up, and" : "already";
    super(
      "target_not_empty",
      `The target database ${which} has ${objects} tables, views and sequences. Use an empty database, or set allow_not_empty to true: what is there stays as it is.`,
      {
        errors: [{ field: "allow_not_empty", message: "set it to true to restore into a database that is not empty" }],
      },
    );
    this.seen = seen;
  }
}

/**
 * Whether a backup is restored into such a database by a conversion. A URL does not tell MySQL from MariaDB, which a server does (`seen`).
 */
export function converts(
  { status }: Pick<BackupRun, "status">,
  { engine }: Pick<CheckedUrl["endpoint"], "engine">,
  seen?: RestoreTargetFacts["engine"],
): boolean {
  if (status?.engine === undefined) return false;
  if (seen !== undefined) return seen !== status.engine;
  return engine !== (status.engine === "PostgreSQL" ? "postgres" : "mysql");
}

/** Throws Problem `target_unreachable`, `busy`, `unavailable`. */
export async function lookAtTarget(
  world: World,
  caller: Pick<Caller, "account">,
  given: { owner: RunsOwner; run: BackupRun; target: CheckedUrl; input: RestoreInput; asked: ProbeCaller },
): Promise<SeenTarget> {
  const { owner, run, target, input, asked } = given;
  const { target_url: url, target_ca: ca } = input;
  const found = await world.prober.target(
    { url, ...(ca === undefined ? {} : { ca }) },
    { account: caller.account.metadata.name, ...asked },
  );
  if ("unreachable" in found) {
    const message = clean(found.unreachable.map((one) => one.message).join("; "), 1024);
    throw new Problem("target_unreachable", message, { errors: [{ field: "target_url", message }] });
  }
  const digest = urlDigest(world.secret, target, "database");
  const own = owner.schedule?.metadata.annotations?.[marks.database] === digest;
  const version = clean(found.version, 128);
  return { ...found, version, own, digest, converts: converts(run, target.endpoint, found.engine) };
}
