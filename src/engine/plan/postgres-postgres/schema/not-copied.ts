import { ofUsers } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { fullNameSql, literal, partSql } from "../../../postgres/driver/names.ts";

/** Objects of a database that a copy never carries, so that the report names them. */

interface SkippedObject {
  kind: string;
  name: string;
  note: string;
  definition: string | null;
}

/** pg_dump leaves such an index out, as one of a CREATE INDEX CONCURRENTLY that failed. */
const invalidIndex = "it is not valid in the source";

/**
 * What only lives beside the schema, is not part of pg_dump's output, and so is reported by name. A setting with a dot in its
 * name is an application's, and may be a secret: its value is not told.
 */
export async function readSkippedObjects(session: Session): Promise<SkippedObject[]> {
  return session.query(
    `SELECT 'database setting' AS kind, CASE WHEN s.setrole <> 0 THEN 'for role ' || pg_catalog.pg_get_userbyid(s.setrole) || ': ' ELSE '' END || pg_catalog.split_part(c, '=', 1) AS name,
            'settings of a database are not copied: set it in the target if it is wanted' AS note,
            CASE WHEN pg_catalog.strpos(pg_catalog.split_part(c, '=', 1), '.') = 0 THEN
              CASE WHEN s.setrole <> 0 THEN pg_catalog.format('ALTER ROLE %I IN DATABASE %I', pg_catalog.pg_get_userbyid(s.setrole), pg_catalog.current_database())
                   ELSE pg_catalog.format('ALTER DATABASE %I', pg_catalog.current_database()) END
              || pg_catalog.format(' SET %I TO %L', pg_catalog.split_part(c, '=', 1), pg_catalog.substr(c, pg_catalog.strpos(c, '=') + 1)) END AS definition
       FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c
      WHERE s.setdatabase = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
     UNION ALL
     SELECT 'grants', 'database', 'rights on the database itself are not copied: give them in the target if they are wanted',
            pg_catalog.format('REVOKE ALL ON DATABASE %I FROM PUBLIC', b.datname) || COALESCE((SELECT pg_catalog.string_agg('; ' || g.sql, '' ORDER BY g.sql) FROM (
              SELECT pg_catalog.format('GRANT %s ON DATABASE %I TO %s%s', pg_catalog.string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type), b.datname,
                       CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END,
                       CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS sql
                FROM pg_catalog.aclexplode(b.datacl) a WHERE a.grantee <> b.datdba GROUP BY a.grantee, a.is_grantable) g), '')
       FROM pg_catalog.pg_database b WHERE b.datname = pg_catalog.current_database() AND b.datacl IS NOT NULL
     UNION ALL
     SELECT 'comment', 'database', 'the comment of the database itself is not copied: set it in the target if it is wanted',
            pg_catalog.format('COMMENT ON DATABASE %I IS %L', b.datname, w.description)
       FROM pg_catalog.pg_database b JOIN pg_catalog.pg_shdescription w ON w.objoid = b.oid AND w.classoid = 'pg_catalog.pg_database'::pg_catalog.regclass
      WHERE b.datname = pg_catalog.current_database()
     UNION ALL
     SELECT 'subscription', subname::text, 'subscriptions are not copied: they hold a password and would take changes from the publisher twice', NULL
       FROM pg_catalog.pg_stat_subscription WHERE relid IS NULL
     UNION ALL
     SELECT 'index', ${fullNameSql("n.nspname", "c.relname")}, ${literal(invalidIndex)}, pg_catalog.pg_get_indexdef(c.oid)
       FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
      WHERE (NOT i.indisvalid AND t.relkind <> 'p' OR NOT i.indisready) AND t.relpersistence <> 't' AND ${ofUsers("n.nspname")}
     UNION ALL
     SELECT 'state of a foreign key', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("o.conname")}, 'it is off in the source (DISABLE TRIGGER ALL), and on in the target: only a superuser can switch it off',
            pg_catalog.format('ALTER TABLE %I.%I DISABLE TRIGGER ALL', n.nspname, c.relname)
       FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE o.contype = 'f' AND o.conparentid = 0
        AND EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgconstraint = o.oid AND g.tgisinternal AND g.tgenabled = 'D')`,
  );
}
