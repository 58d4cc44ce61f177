import type { MadeObject } from "../../contract/index.ts";
import type { Session } from "../driver/connection.ts";
import { qualified } from "../driver/names.ts";

/**
 * Objects as PostgreSQL addresses them: a type's words, names from outside in, and for some what they take. A made
 * object's `name` is the names followed by the arguments, its `id` the catalogue's and the object's oid: a list that
 * others can edit names objects by these and by nothing that is SQL.
 */

interface Kind {
  /** As pg_get_object_address calls it. */
  type: string;
  /** How many of the name's parts are names; the rest are arguments. */
  names: number;
}

const kinds = new Map<string, Kind>(
  Object.entries({
    1: "schema,extension,publication,event trigger,server,foreign-data wrapper,language,access method,large object,cast,transform,user mapping,domain constraint",
    2: "table,view,materialized view,foreign table,sequence,index,collation,conversion,function,procedure,aggregate,operator,text search parser,text search dictionary,text search template,text search configuration,statistics,type,domain",
    3: "constraint,default,trigger,rule,policy,operator class,operator family",
  }).flatMap(([names, list]) => list.split(",").map((type): [string, Kind] => [type, { type, names: Number(names) }])),
);
const types: Record<string, string> = {
  constraint: "table constraint",
  default: "default value",
  statistics: "statistics object",
  domain: "type",
};
const kindOf: Record<string, string> = Object.fromEntries(
  Object.entries(types).flatMap(([kind, type]) => (kind === "domain" ? [] : [[type, kind]])),
);

export interface Address {
  type: string;
  names: string[];
  args: string[];
}

/** Undefined for what is of no kind that a copy makes, or has too few names. */
export function addressOf({ kind, name }: Pick<MadeObject, "kind" | "name">): Address | undefined {
  const found = kinds.get(kind);
  if (found === undefined || name.length < found.names) return undefined;
  const names = name.slice(0, found.names);
  const type = types[kind] ?? kind;
  return { type, names: type === "type" ? [qualified(...names)] : names, args: name.slice(found.names) };
}

/** The made object of an address that a server answered. Undefined for kinds that are not made by a copy. */
export function madeOf({ type, names, args }: Address): MadeObject | undefined {
  const made = { kind: kindOf[type] ?? type, name: [...names, ...args] };
  return kinds.get(made.kind)?.names === names.length ? made : undefined;
}

export interface Resolved {
  /** The place in the list that was asked for. */
  at: number;
  id: string;
  /** Name and arguments as the server writes and quotes them. */
  identity: string;
}

/** An operator of one side is given as having one argument, and taken with two only. */
const prefix = "r.type = 'operator' AND pg_catalog.cardinality(r.args) = 1";

/** In SQL: what stands at the address of a row `r` with type, names and args. Errors: the server's, when it is not there. */
export const addressed = `(
    SELECT a.* FROM pg_catalog.pg_get_object_address(r.type, r.names, r.args) a WHERE (${prefix}) IS NOT TRUE
    UNION ALL
    SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass::oid,
           pg_catalog.format('%I.%s(NONE,%s)', r.names[1], r.names[2], r.args[1])::pg_catalog.regoperator::oid, 0 WHERE ${prefix})`;

/** What stands at the addresses now. Errors: the server's, when one of them is not there. */
export function resolve(session: Session, addresses: readonly Address[]): Promise<Resolved[]> {
  const asked = JSON.stringify(addresses.map((address, at) => ({ at, ...address })));
  return session.query<Resolved>(
    `SELECT r.at::int8 AS at, a.classid::int8 || ':' || a.objid::int8 AS id, i.identity
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(at int4, type text, names text[], args text[]),
            LATERAL ${addressed} a,
            LATERAL pg_catalog.pg_identify_object(a.classid, a.objid, a.objsubid) i`,
    [asked],
  );
}

/** Addresses of a source's objects, by `catalogue:oid`. */
export async function readAddresses(
  session: Session,
  objects: readonly { catalog: number; oid: number }[],
): Promise<Map<string, Address>> {
  const rows = await session.query<Address & { id: string }>(
    `SELECT r.catalog || ':' || r.oid AS id, a.type, a.object_names AS names, a.object_args AS args
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(catalog int8, oid int8),
            LATERAL pg_catalog.pg_identify_object_as_address(r.catalog::oid, r.oid::oid, 0) a WHERE a.object_names IS NOT NULL`,
    [JSON.stringify(objects)],
  );
  return new Map(rows.map(({ id, ...address }) => [id, address]));
}
