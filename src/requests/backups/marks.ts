import { group } from "../../resources/group.ts";
import { marks as common } from "../migrations/view/marks.ts";

/** Annotations that the API writes on backup schedules, runs and restores. None holds a secret: digests are keyed. */
export const marks = {
  createdAt: common.createdAt,
  body: common.body,
  actions: common.actions,
  /** Of a schedule: what people call it. */
  title: `${group}/title`,
  /** Of a schedule: digest of its database, without user and password, to recognize it as the target of a restore. */
  database: `${group}/database-digest`,
  /** Of a restore: public id of the run's schedule. */
  backup: `${group}/backup`,
} as const;
