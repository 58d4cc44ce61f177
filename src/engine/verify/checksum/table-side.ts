import { hash } from "node:crypto";
import { type CanonicalForm, canonicalText } from "./canonical.ts";
import { type ChecksumDialect, type HashedColumn, readSum, type Sum } from "./dialect.ts";
import type { TableName } from "./rows.ts";
import type { Reader } from "./side.ts";

/** One side of one table: what is asked of it, in the server's own SQL, and what of it is hashed here. */
export interface TableSide {
  /** Rows are read and hashed here. */
  readonly streamed: boolean;
  /** The table, where its own rows are read and it can be locked. */
  readonly locked: TableName | undefined;
  /** The rows of a range, added up by the server; `fast`: in the forms that only prove what is equal. */
  total(reader: Reader, range: KeyRange, fast: boolean): Promise<Sum>;
  /** The same for each of `n` shares of the rows, by their keys (without a key: by their values). */
  buckets(reader: Reader, range: KeyRange, n: number): Promise<Map<number, Sum>>;
  /** Every row of some shares: its key's values (JSON of texts; "" without a key) and its hash. */
  rows(
    reader: Reader,
    range: KeyRange,
    shares: Shares | undefined,
    take: (key: string, hash: string) => void,
  ): Promise<void>;
  /** Parts that together are the whole table, of this side alone. */
  split(reader: Reader, parts: number, rows: number): Promise<KeyRange[]>;
  /** Least and greatest value of the key's first column, which is an integer. */
  ends(reader: Reader): Promise<{ low: bigint; high: bigint } | undefined>;
}

/** Of the key's first column: above the one, up to the other; undefined: open. Or a condition of one server's own. */
export interface KeyRange {
  where?: string;
  above?: bigint | undefined;
  upTo?: bigint | undefined;
}

interface Shares {
  n: number;
  of: readonly number[];
}

interface HalfOptions {
  name: TableName;
  locked: TableName | undefined;
  partitioned: boolean;
  storage: string | undefined;
  dialect: ChecksumDialect;
  pieces: readonly HashedColumn[];
  /** Of columns that are made alike here. */
  streamed: readonly { sql: string; canonicalForm: CanonicalForm }[];
  /** Of all columns, in their cheaper forms. */
  fast: readonly HashedColumn[];
  key: readonly (HashedColumn & { plain: string })[];
  /** The key's first column, quoted, where ranges of it are the same on both sides. */
  ranged: string | undefined;
  split: TableSide["split"];
}

const emptySum = (): Sum => ({ rows: 0, hash: 0n });

export function createHalf({
  name,
  locked,
  partitioned,
  storage,
  dialect,
  pieces,
  streamed,
  fast,
  key,
  ranged,
  split,
}: HalfOptions): TableSide {
  const from = dialect.from(name[0], name[1], partitioned);
  const read = dialect.select(storage);
  const digest = dialect.digest(pieces);
  const keyDigest = key.length > 0 ? dialect.digest(key) : undefined;
  const values = [digest, ...streamed.map(({ sql }) => sql)];
  const canonicalForms = streamed.map(({ canonicalForm }) => canonicalForm);

  const where = ({ where: own = "", above, upTo }: KeyRange, more: readonly string[] = []) => {
    const conditions = own === "" ? [...more] : [...more, own];
    if (above !== undefined) conditions.push(`${ranged} > ${above}`);
    if (upTo !== undefined) conditions.push(`${ranged} <= ${upTo}`);
    return conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  };
  const hashOf = (fields: readonly (Buffer | null)[], start: number): string => {
    const own = (fields[start] as Buffer).toString("latin1");
    return canonicalForms.length === 0 ? own : hash("md5", whole(own, fields, start + 1, canonicalForms));
  };
  const add = (to: Sum, hash: string) => {
    to.rows++;
    to.hash = BigInt.asUintN(64, to.hash + BigInt(`0x${hash.slice(0, 16)}`));
  };

  return {
    streamed: canonicalForms.length > 0,
    locked,
    split,

    async total(reader, range, isFast) {
      const hashed = isFast ? dialect.digest(fast) : digest;
      const [[rows, sum] = []] = await reader.query(`${read} ${dialect.sum(hashed)} ${from}${where(range)}`);
      return readSum(rows, sum);
    },

    async buckets(reader, range, n) {
      const found = new Map<number, Sum>();
      if (canonicalForms.length === 0) {
        const rows = await reader.query(
          `${read} ${dialect.sum(digest)}, ${dialect.bucket(keyDigest ?? digest, n)} AS share ${from}${where(range)} GROUP BY share`,
        );
        for (const [count, sum, share] of rows) found.set(Number(share), readSum(count, sum));
        return found;
      }
      const select = keyDigest === undefined ? values : [...values, keyDigest];
      await reader.rows(`${read} ${select.join(", ")} ${from}${where(range)}`, select.length, (fields) => {
        const hash = hashOf(fields, 0);
        const share = shareOf(keyDigest === undefined ? hash : (fields[values.length] as Buffer).toString("latin1"), n);
        const sum = found.get(share) ?? emptySum();
        found.set(share, sum);
        add(sum, hash);
      });
      return found;
    },

    async rows(reader, range, shares, take) {
      const keys = key.map(({ plain }) => dialect.text(plain));
      const here = keyDigest === undefined && canonicalForms.length > 0;
      const among =
        shares === undefined || here
          ? []
          : [`${dialect.bucket(keyDigest ?? digest, shares.n)} IN (${shares.of.join(", ")})`];
      const wanted = shares === undefined ? undefined : new Set(shares.of);
      const select = [...keys, ...values];
      await reader.rows(`${read} ${select.join(", ")} ${from}${where(range, among)}`, select.length, (fields) => {
        const hash = hashOf(fields, keys.length);
        if (here && wanted?.has(shareOf(hash, shares?.n ?? 1)) === false) return;
        const texts = fields.slice(0, keys.length).map((field) => field?.toString("utf8") ?? null);
        take(keys.length === 0 ? "" : JSON.stringify(texts), hash);
      });
    },

    async ends(reader) {
      const [[low, high] = []] = await reader.query(`${read} MIN(${ranged}) AS low, MAX(${ranged}) AS high ${from}`);
      if (typeof low !== "string" || typeof high !== "string") return undefined;
      return { low: BigInt(low), high: BigInt(high) };
    },
  };
}

/** As Dialect.bucket: the last seven digits. */
const shareOf = (digest: string, n: number): number => Number.parseInt(digest.slice(-7), 16) % n;

/** The server's hash and the values made alike here, each with its length before it. */
function whole(
  own: string,
  fields: readonly (Buffer | null)[],
  start: number,
  canonicalForms: readonly CanonicalForm[],
): string {
  let text = own;
  for (const [index, canonicalForm] of canonicalForms.entries()) {
    const field = fields[start + index];
    const value = field === null || field === undefined ? null : canonicalText(canonicalForm, field);
    text += value === null ? ",~" : `,${value.length}:${value}`;
  }
  return text;
}
