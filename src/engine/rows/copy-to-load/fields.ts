/** How the bytes of one column of COPY's text become LOAD DATA's, and what is looked for on the way. */

/** The numbers are what the row loop switches on. */
export const kind = {
  /** As they are: integers, uuid, addresses, times. */
  raw: 0,
  /** May hold any character: \v and \f, which LOAD DATA does not know, are decoded. */
  text: 1,
  /** From here on the field is looked at when it has been written. */
  /** Text of at most `limit` characters. */
  limited: 2,
  /** t and f → 1 and 0. */
  boolean: 3,
  /** date, timestamp, timestamptz (whose +00 is cut): infinity, BC and years above 9999 become NULL. */
  date: 4,
  /** real, double precision: NaN and infinities become NULL. */
  float: 5,
  /** numeric: likewise, and the digits are counted. */
  numeric: 6,
  /** Hexadecimal → bytes. */
  bytes: 7,
  /** bit(n ≤ 64) → bytes. */
  bits: 8,
  /** Hexadecimal of an SRID and well-known binary → a geometry as the target keeps it. */
  shape: 9,
} as const;

export type CopyToLoadFieldKind = (typeof kind)[keyof typeof kind];

/** PostgreSQL itself writes jsonb and numeric without exponents; json is as the user wrote it. */
export const doublesOf = ({ type }: { type: string }): Pick<CopyToLoadField, "doubles"> => ({
  doubles: type === "jsonb" || type === "numeric" ? "plain" : "exponents",
});

/** SRIDs that a target knows, and whether their coordinates are longitude and latitude in degrees. */
export type Srids = ReadonlyMap<number, boolean>;

export interface CopyToLoadField {
  kind: CopyToLoadFieldKind;
  /** A value that only NULL can stand for may become NULL; else it breaks the guess. */
  nullable: boolean;
  /** limited: characters. numeric: digits before the point. */
  limit?: number;
  /** numeric: digits after the point. */
  scale?: number;
  /** float: the target makes 0 of -0, which is counted. */
  unsignedZero?: boolean;
  /** text: a JSON document whose numbers the target keeps as doubles; those that lose digits are counted. `exponents`: some may be written so, as it is written by a person, and may have a key twice. */
  doubles?: "plain" | "exponents";
  /** shape: those that values may have; left out: any. */
  srids?: Srids;
}

/** What was found while a column was written. */
export interface CopyToLoadFindings {
  /** Values that became NULL. Only their number: no report or log quotes a row's values. */
  lost: number;
  /** Values of -0 that became 0. */
  zeros: number;
  /** Documents with a number that loses digits. */
  rounded: number;
  /** Documents with a key twice in one object. */
  doubled: number;
  /** What broke the guess: `long` text or number or another geometry, or a `null` where none may be; the table is copied again. */
  broken: "long" | "null" | undefined;
}

export const noFindings = (): CopyToLoadFindings => ({ lost: 0, zeros: 0, rounded: 0, doubled: 0, broken: undefined });
