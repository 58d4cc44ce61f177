import { fullNameSql, literal, partSql } from "../../postgres/driver/names.ts";
import { each, inSchema } from "./each.ts";

/** Particulars of PostgreSQL's objects that belong to no relation, or name several. Secrets among options are hashed. Pure. */

const user = (alias: string) => `AND ${alias}.oid >= 16384`;
const listed = (text: string, order: string, from: string) =>
  `(SELECT pg_catalog.string_agg(${text}, ',' ORDER BY ${order}) FROM ${from})`;
const functions = (alias: string, ...columns: string[]) =>
  `pg_catalog.concat_ws(' ', ${columns.map((column) => `${alias}.${column}::pg_catalog.regproc`).join(", ")})`;

/**
 * `since`: the text for servers from a major version on, else NULL. `without`: full names of tables that publications are
 * compared without.
 */
export function aloneAspects(since: (major: number, text: string) => string, without: readonly string[]): string[] {
  const skipped = `r.prrelid IN (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE ${fullNameSql("n.nspname", "c.relname")} IN (${without.map(literal).join(", ")}))`;
  const published = `pg_catalog.pg_publication_rel r WHERE r.prpubid = p.oid${without.length === 0 ? "" : ` AND NOT ${skipped}`}`;
  const table = "r.prrelid::pg_catalog.regclass::pg_catalog.text";
  const columns =
    "(SELECT pg_catalog.string_agg(k.attname, ' ' ORDER BY k.attname) FROM pg_catalog.pg_attribute k WHERE k.attrelid = r.prrelid AND k.attnum = ANY (r.prattrs::pg_catalog.int2[]))";
  const family = fullNameSql("n.nspname", "o.opfname");
  return [
    each(
      "'event trigger'",
      "t.evtname::pg_catalog.text",
      [
        ["function", "t.evtfoid::pg_catalog.regprocedure", true],
        ["state (enabled or not)", "t.evtenabled", true],
        ["list of tags", "t.evttags", true],
      ],
      "pg_catalog.pg_event_trigger t",
    ),
    each(
      "'statistics'",
      fullNameSql("n.nspname", "s.stxname"),
      [
        ["definition", since(10, "pg_catalog.pg_get_statisticsobjdef(s.oid)"), false],
        ["statistics target", since(13, "CASE WHEN s.stxstattarget >= 0 THEN s.stxstattarget END"), true],
      ],
      `pg_catalog.pg_statistic_ext s ${inSchema("s", "stxnamespace")}`,
    ),
    each(
      "'publication'",
      "p.pubname::pg_catalog.text",
      [
        ["definition", "pg_catalog.to_jsonb(p) - 'oid' - 'pubowner'", false],
        ["list of tables", listed(table, table, published), true],
        ["list of columns", since(15, listed(`${table} || ' ' || ${columns}`, table, published)), true],
        [
          "row filters",
          since(15, listed(`${table} || ' ' || pg_catalog.pg_get_expr(r.prqual, r.prrelid)`, table, published)),
          false,
        ],
        [
          "list of schemas",
          since(
            15,
            listed(
              "r.pnnspid::pg_catalog.regnamespace::pg_catalog.text",
              "r.pnnspid::pg_catalog.regnamespace::pg_catalog.text",
              "pg_catalog.pg_publication_namespace r WHERE r.pnpubid = p.oid",
            ),
          ),
          true,
        ],
      ],
      "pg_catalog.pg_publication p",
    ),
    each(
      "'collation'",
      fullNameSql("n.nspname", "o.collname"),
      [
        [
          "definition",
          "pg_catalog.to_jsonb(o) - 'oid' - 'collnamespace' - 'collowner' - 'collversion' - 'collencoding'",
          false,
        ],
      ],
      `pg_catalog.pg_collation o ${inSchema("o", "collnamespace")} ${user("o")}`,
    ),
    each(
      "'cast'",
      "pg_catalog.format_type(k.castsource, NULL) || ' AS ' || pg_catalog.format_type(k.casttarget, NULL)",
      [
        [
          "definition",
          "pg_catalog.concat_ws(' ', k.castfunc::pg_catalog.regprocedure, k.castcontext, k.castmethod)",
          true,
        ],
      ],
      "(SELECT * FROM pg_catalog.pg_cast WHERE oid >= 16384) k",
    ),
    each(
      "'operator'",
      `${fullNameSql("n.nspname", "o.oprname")} || ' (' || pg_catalog.format_type(o.oprleft, NULL) || ', ' || pg_catalog.format_type(o.oprright, NULL) || ')'`,
      [
        ["function", "o.oprcode", true],
        ["commutator", "NULLIF(o.oprcom, 0)::pg_catalog.regoperator", true],
        ["negator", "NULLIF(o.oprnegate, 0)::pg_catalog.regoperator", true],
        ["options", "pg_catalog.concat_ws(' ', o.oprrest, o.oprjoin, o.oprcanhash, o.oprcanmerge)", true],
      ],
      `pg_catalog.pg_operator o ${inSchema("o", "oprnamespace")} ${user("o")}`,
    ),
    each(
      "'operator class'",
      `${fullNameSql("n.nspname", "o.opcname")} || ' ' || ${partSql("m.amname")}`,
      [
        [
          "definition",
          `pg_catalog.concat_ws(' ', pg_catalog.format_type(o.opcintype, NULL), pg_catalog.format_type(NULLIF(o.opckeytype, 0), NULL), o.opcdefault,
             (SELECT ${fullNameSql("fn.nspname", "f.opfname")} FROM pg_catalog.pg_opfamily f JOIN pg_catalog.pg_namespace fn ON fn.oid = f.opfnamespace WHERE f.oid = o.opcfamily))`,
          true,
        ],
      ],
      `pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod ${inSchema("o", "opcnamespace")} ${user("o")}`,
    ),
    each(
      "'operator family'",
      `${family} || ' ' || ${partSql("m.amname")}`,
      [
        [
          "operators",
          listed(
            "x.amopstrategy || ' ' || x.amoppurpose::pg_catalog.text || ' ' || x.amopopr::pg_catalog.regoperator::pg_catalog.text",
            "x.amopstrategy, x.amopopr::pg_catalog.regoperator::pg_catalog.text",
            "pg_catalog.pg_amop x WHERE x.amopfamily = o.oid",
          ),
          true,
        ],
        [
          "functions",
          listed(
            "x.amprocnum || ' ' || x.amproc::pg_catalog.regprocedure::pg_catalog.text",
            "x.amprocnum, x.amproc::pg_catalog.regprocedure::pg_catalog.text",
            "pg_catalog.pg_amproc x WHERE x.amprocfamily = o.oid",
          ),
          true,
        ],
      ],
      `pg_catalog.pg_opfamily o JOIN pg_catalog.pg_am m ON m.oid = o.opfmethod ${inSchema("o", "opfnamespace")} ${user("o")}`,
    ),
    each(
      "'text search configuration'",
      fullNameSql("n.nspname", "o.cfgname"),
      [
        ["parser", "(SELECT x.prsname FROM pg_catalog.pg_ts_parser x WHERE x.oid = o.cfgparser)", true],
        [
          "mappings",
          listed(
            "x.maptokentype || ' ' || x.mapdict::pg_catalog.regdictionary::pg_catalog.text",
            "x.maptokentype, x.mapseqno",
            "pg_catalog.pg_ts_config_map x WHERE x.mapcfg = o.oid",
          ),
          true,
        ],
      ],
      `pg_catalog.pg_ts_config o ${inSchema("o", "cfgnamespace")} ${user("o")}`,
    ),
    each(
      "'text search dictionary'",
      fullNameSql("n.nspname", "o.dictname"),
      [
        ["template", "(SELECT x.tmplname FROM pg_catalog.pg_ts_template x WHERE x.oid = o.dicttemplate)", true],
        // Names and words are quoted or not by how they came.
        ["options", "pg_catalog.translate(o.dictinitoption, '''\"', '')", true],
      ],
      `pg_catalog.pg_ts_dict o ${inSchema("o", "dictnamespace")} ${user("o")}`,
    ),
    each(
      "'text search parser'",
      fullNameSql("n.nspname", "o.prsname"),
      [["functions", functions("o", "prsstart", "prstoken", "prsend", "prsheadline", "prslextype"), true]],
      `pg_catalog.pg_ts_parser o ${inSchema("o", "prsnamespace")} ${user("o")}`,
    ),
    each(
      "'text search template'",
      fullNameSql("n.nspname", "o.tmplname"),
      [["functions", functions("o", "tmplinit", "tmpllexize"), true]],
      `pg_catalog.pg_ts_template o ${inSchema("o", "tmplnamespace")} ${user("o")}`,
    ),
    each(
      "'conversion'",
      fullNameSql("n.nspname", "o.conname"),
      [["definition", "pg_catalog.concat_ws(' ', o.conforencoding, o.contoencoding, o.conproc, o.condefault)", true]],
      `pg_catalog.pg_conversion o ${inSchema("o", "connamespace")} ${user("o")}`,
    ),
    each(
      "'language'",
      "l.lanname::pg_catalog.text",
      [
        [
          "definition",
          "pg_catalog.concat_ws(' ', l.lanpltrusted, l.lanplcallfoid::pg_catalog.regproc, l.laninline::pg_catalog.regproc, l.lanvalidator::pg_catalog.regproc)",
          true,
        ],
      ],
      `(SELECT * FROM pg_catalog.pg_language WHERE lanispl) l`,
    ),
    each(
      "'foreign data wrapper'",
      "f.fdwname::pg_catalog.text",
      [
        ["functions", functions("f", "fdwhandler", "fdwvalidator"), true],
        ["options", "pg_catalog.md5(f.fdwoptions::pg_catalog.text)", true],
      ],
      "pg_catalog.pg_foreign_data_wrapper f",
    ),
    each(
      "'server'",
      "s.srvname::pg_catalog.text",
      [
        ["wrapper", "(SELECT f.fdwname FROM pg_catalog.pg_foreign_data_wrapper f WHERE f.oid = s.srvfdw)", true],
        ["options", "pg_catalog.md5(pg_catalog.concat_ws(' ', s.srvtype, s.srvversion, s.srvoptions))", true],
      ],
      "pg_catalog.pg_foreign_server s",
    ),
    each(
      "'user mapping'",
      `${partSql("u.srvname")} || ' ' || ${partSql("COALESCE(u.usename, 'public')")}`,
      [["options", "pg_catalog.md5(u.umoptions::pg_catalog.text)", true]],
      "pg_catalog.pg_user_mappings u",
    ),
  ];
}
