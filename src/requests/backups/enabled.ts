import { Problem } from "../errors.ts";
import type { World } from "../world.ts";

/** Every verb of backups begins with it. Throws Problem `backups_disabled`. */
export function requireBackups({ settings }: Pick<World, "settings">): void {
  if (!settings.backups)
    throw new Problem(
      "backups_disabled",
      "Backups are not enabled in this installation: its administrator enables them with the chart's value backups.enabled.",
    );
}
