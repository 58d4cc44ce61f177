-- One of each thing that a PostgreSQL database may hold and a copy may lose.
CREATE SCHEMA app;
CREATE SCHEMA "We""ird; DROP TABLE x --";
CREATE EXTENSION citext SCHEMA public;
CREATE TYPE app.mood AS ENUM ('sad', 'it''s "ok"', '');
CREATE TYPE app.pair AS (a integer, b app.mood);
CREATE DOMAIN app.positive AS integer CHECK (VALUE > 0);
CREATE TYPE app.span AS RANGE (subtype = integer);

CREATE TABLE app.scalars (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  b boolean, s smallint, i integer, l bigint, n numeric, n2 numeric(20, 5), r real, d double precision, m money,
  c char(5), v varchar(10), t text, y bytea, da date, ti time(3), tz timetz, ts timestamp, tt timestamptz, iv interval,
  u uuid, j json, jb jsonb, x xml, ip inet, ci cidr, ma macaddr, m8 macaddr8, bi bit(4), vb varbit, po point, pg polygon,
  ci_ line, bx box, ls lseg, pa path, cr circle, tsv tsvector, tsq tsquery, o oid, cx citext,
  e app.mood, p app.pair, dp app.positive, sp app.span, reg regclass, lsn pg_lsn,
  r4 int4range, mr int8multirange, nr numrange, tr tstzrange, dr daterange,
  doubled bigint GENERATED ALWAYS AS (i::bigint * 2) STORED);
INSERT INTO app.scalars (b, s, i, l, n, n2, r, d, m, c, v, t, y, da, ti, tz, ts, tt, iv, u, j, jb, x, ip, ci, ma, m8, bi, vb, po, pg,
  ci_, bx, ls, pa, cr, tsv, tsq, o, cx, e, p, dp, sp, reg, lsn, r4, mr, nr, tr, dr)
VALUES (true, -32768, 2147483647, -9223372036854775808, 'NaN', 12345.67891, 'Infinity', '-0', '-12.34', 'ab', 'é漢', E'tab\tnl\nback\\slash\v\f\r\\.', '\x00ff5c0a',
  '0044-03-15 BC', '24:00:00', '23:59:59.999+15:59', 'infinity', '294276-12-31 23:59:59.999999+00', '-178000000 years', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  '{"a": 1, "a": 2, "z":  -0.0}', '{"n": 1e400, "u": "\ud83d\ude00"}', '<a b="1">x</a>', '::1/64', '10.0.0.0/8', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05',
  B'1010', B'101', '(1,2)', '((0,0),(1,1),(1,0))', '{1,2,3}', '((0,0),(1,1))', '[(0,0),(1,1)]', '[(0,0),(1,1)]', '<(0,0),1>', 'a:1A b', 'a & !b', 4294967295, 'MiXed',
  'it''s "ok"', ROW(1, 'sad')::app.pair, 7, '[1,5)', 'app.scalars', '16/B374D848', '[1,10)', '{[1,3),[5,9)}', 'empty', '[2020-01-01,)', '(,2020-01-01)'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (false, 0, 0, 0, 123456789012345678901234567890.123456789, 0, 1.4e-45, 1.7976931348623157e308, 0, '', '', '', '', '-infinity', '00:00', '00:00-12', '4713-01-01 BC',
   '-infinity', '1 mon -1 day 00:00:00.000001', NULL, 'null', 'null', '', '0.0.0.0', '::/0', NULL, NULL, B'0000', B'', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', '', 0, '',
   '', ROW(NULL, NULL)::app.pair, 1, 'empty', NULL, '0/0', 'empty', '{}', '(,)', 'empty', 'empty');

CREATE TABLE app.arrays (id bigserial PRIMARY KEY, ints integer[], texts text[], deep integer[][], moods app.mood[], pairs app.pair[], stamps timestamptz[], bounded int[]);
INSERT INTO app.arrays (ints, texts, deep, moods, pairs, stamps, bounded) VALUES
  ('{1,NULL,3}', ARRAY['a"b', NULL, '', 'NULL', E'x\\y,{}'], '{{1,2},{3,4}}', '{sad,""}', ARRAY[ROW(1,'sad')::app.pair, NULL], '{epoch,infinity}', '[-2:0]={1,2,3}'),
  ('{}', '{}', '{}', NULL, NULL, NULL, NULL);

CREATE TABLE app.plain_arrays (id int, ints integer[], texts text[]);
INSERT INTO app.plain_arrays SELECT i, ARRAY[i, NULL, -i], ARRAY['t' || i, NULL] FROM generate_series(1, 1000) i;

CREATE TABLE app.no_columns ();
INSERT INTO app.no_columns DEFAULT VALUES;
INSERT INTO app.no_columns DEFAULT VALUES;
INSERT INTO app.no_columns DEFAULT VALUES;
CREATE TABLE app.only_generated (g integer GENERATED ALWAYS AS (1 + 1) STORED);
INSERT INTO app.only_generated DEFAULT VALUES;
CREATE TABLE app.empty (id int PRIMARY KEY, t text);
CREATE TABLE app.dropped_column (a int, gone text, b int, "c;d" int DEFAULT 5);
INSERT INTO app.dropped_column VALUES (1, 'x', 2);
ALTER TABLE app.dropped_column DROP COLUMN gone;
INSERT INTO app.dropped_column VALUES (3, 4);
CREATE UNLOGGED TABLE app.unlogged AS SELECT generate_series(1, 10) AS i;

CREATE TABLE app.parent (id int PRIMARY KEY, t text);
CREATE TABLE app.child (extra int) INHERITS (app.parent);
INSERT INTO app.parent VALUES (1, 'parent');
INSERT INTO app.child VALUES (2, 'child', 3), (1, 'same id', 4);

CREATE TABLE app.log (at date NOT NULL, region text NOT NULL, n int, PRIMARY KEY (at, region)) PARTITION BY RANGE (at);
CREATE TABLE app.log_old PARTITION OF app.log FOR VALUES FROM (MINVALUE) TO ('2020-01-01');
CREATE TABLE app.log_new PARTITION OF app.log FOR VALUES FROM ('2020-01-01') TO (MAXVALUE) PARTITION BY LIST (region);
CREATE TABLE app.log_new_eu PARTITION OF app.log_new FOR VALUES IN ('eu', 'uk');
CREATE TABLE app.log_new_rest PARTITION OF app.log_new DEFAULT;
CREATE INDEX log_n ON app.log (n);
INSERT INTO app.log SELECT DATE '2019-01-01' + i, (ARRAY['eu', 'us', 'uk'])[1 + i % 3], i FROM generate_series(0, 999) i;
CREATE TABLE app.hashed (id int PRIMARY KEY, t text) PARTITION BY HASH (id);
CREATE TABLE app.hashed_0 PARTITION OF app.hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE app.hashed_1 PARTITION OF app.hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO app.hashed SELECT i, 'h' || i FROM generate_series(1, 100) i;

CREATE TABLE "We""ird; DROP TABLE x --"."t'1;""; --
" ("sel;ect" int PRIMARY KEY, "a""b'c\d" text, "ÄÖ 漢" int UNIQUE DEFERRABLE INITIALLY DEFERRED);
INSERT INTO "We""ird; DROP TABLE x --"."t'1;""; --
" VALUES (1, 'x', 1), (2, NULL, NULL);
CREATE INDEX "i;1""x" ON "We""ird; DROP TABLE x --"."t'1;""; --
" (("a""b'c\d" || ';"')) WHERE "sel;ect" > 0 AND "a""b'c\d" <> 'semi;colon';
COMMENT ON TABLE "We""ird; DROP TABLE x --"."t'1;""; --
" IS 'it''s a "comment"; with ; and \ ';

CREATE TABLE app.customer (id int GENERATED BY DEFAULT AS IDENTITY (START WITH 100 INCREMENT BY 7) PRIMARY KEY, email citext UNIQUE NOT NULL, referrer int REFERENCES app.customer);
INSERT INTO app.customer (email, referrer) VALUES ('a@x', NULL), ('B@x', 100), ('c@x', 107);
CREATE TABLE app.orders (id serial PRIMARY KEY, customer int NOT NULL REFERENCES app.customer ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED,
  during tsrange, total numeric(10, 2) CHECK (total >= 0), note text, EXCLUDE USING gist (during WITH &&));
INSERT INTO app.orders (customer, during, total, note) SELECT 100 + 7 * (i % 3), tsrange(TIMESTAMP '2020-01-01' + i * interval '1 day', TIMESTAMP '2020-01-02' + i * interval '1 day'), i, repeat('x', 20 * i) FROM generate_series(1, 50) i;
CREATE INDEX orders_total ON app.orders USING btree (total DESC NULLS LAST) INCLUDE (note) WITH (fillfactor = 70);
CREATE INDEX orders_clustered ON app.orders (customer);
ALTER TABLE app.orders ALTER COLUMN note SET STORAGE EXTERNAL;
ALTER TABLE app.orders CLUSTER ON orders_clustered;
CREATE UNIQUE INDEX orders_identity ON app.orders (id, customer);
ALTER TABLE app.orders REPLICA IDENTITY USING INDEX orders_identity;
CREATE INDEX orders_expression ON app.orders ((total * 2), lower(note));
ALTER INDEX app.orders_expression ALTER COLUMN 1 SET STATISTICS 500;
CREATE STATISTICS app.orders_statistics (dependencies) ON customer, total FROM app.orders;
ALTER TABLE app.orders ADD CONSTRAINT late CHECK (id <> 13) NOT VALID;
CREATE TABLE app.a (id int PRIMARY KEY, b int);
CREATE TABLE app.b (id int PRIMARY KEY, a int REFERENCES app.a);
INSERT INTO app.a VALUES (1, 1);
INSERT INTO app.b VALUES (1, 1);
ALTER TABLE app.a ADD FOREIGN KEY (b) REFERENCES app.b;
CREATE TABLE app.refers (at date, region text, FOREIGN KEY (at, region) REFERENCES app.log);
INSERT INTO app.refers SELECT at, region FROM app.log LIMIT 5;

CREATE SEQUENCE app.counter AS smallint INCREMENT BY -3 MAXVALUE 10 MINVALUE -1000 START 10 CYCLE;
SELECT nextval('app.counter'), nextval('app.counter');
CREATE SEQUENCE app.unused START 42;

CREATE FUNCTION app.touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := NEW.note || ';'; RETURN NEW; END; $$;
CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON app.orders FOR EACH ROW WHEN (NEW.total > 5) EXECUTE FUNCTION app.touch();
ALTER TABLE app.orders DISABLE TRIGGER touch;
CREATE FUNCTION app.twice(x int) RETURNS int LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT x * 2; END;
CREATE FUNCTION app.counted() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM app.orders';
CREATE TABLE app.by_function (id int DEFAULT app.twice(21), c int CHECK (app.twice(c) < 100));
INSERT INTO app.by_function (c) VALUES (7);
CREATE INDEX by_function_i ON app.by_function (app.twice(c));
CREATE PROCEDURE app.proc(INOUT a int) LANGUAGE plpgsql AS $$ BEGIN a := a + 1; END; $$;
CREATE AGGREGATE app.product(numeric) (SFUNC = numeric_mul, STYPE = numeric, INITCOND = '1');
CREATE OPERATOR app.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, COMMUTATOR = OPERATOR(app.===));
CREATE CAST (app.mood AS integer) WITH INOUT;
CREATE COLLATION app.german FROM "C";
CREATE TEXT SEARCH CONFIGURATION app.words (COPY = simple);
CREATE VIEW app.big_orders WITH (security_barrier) AS SELECT id, total FROM app.orders WHERE total > 10 WITH CHECK OPTION;
CREATE VIEW app.view_of_view AS SELECT * FROM app.big_orders;
CREATE MATERIALIZED VIEW app.totals AS SELECT customer, sum(total) AS total FROM app.orders GROUP BY customer;
CREATE UNIQUE INDEX totals_customer ON app.totals (customer);
CREATE MATERIALIZED VIEW app.totals_of_totals AS SELECT sum(total) AS total FROM app.totals;
CREATE MATERIALIZED VIEW app.never_filled AS SELECT 1 AS one WITH NO DATA;
CREATE RULE no_delete AS ON DELETE TO app.a DO INSTEAD NOTHING;
CREATE TABLE app.secret (id int, owner text DEFAULT current_user);
INSERT INTO app.secret VALUES (1, 'x'), (2, 'y');
ALTER TABLE app.secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.secret FORCE ROW LEVEL SECURITY;
CREATE POLICY mine ON app.secret FOR SELECT USING (owner = current_user);
CREATE PUBLICATION changes FOR TABLE app.orders (id, total), app.customer;
COMMENT ON COLUMN app.orders.total IS 'in euro';
COMMENT ON FUNCTION app.twice(int) IS 'doubles';
COMMENT ON CONSTRAINT late ON app.orders IS 'not yet';
GRANT SELECT ON app.orders TO PUBLIC;
GRANT UPDATE (total) ON app.orders TO PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA app GRANT SELECT ON TABLES TO PUBLIC;
SELECT lo_from_bytea(4711, decode(repeat('00ff10', 900000), 'hex'));
SELECT lo_from_bytea(4712, '');
COMMENT ON LARGE OBJECT 4711 IS 'a large one';
GRANT SELECT ON LARGE OBJECT 4711 TO PUBLIC;
CREATE TABLE app.large (id int PRIMARY KEY, t text, y bytea);
-- The first is larger than a packet or a mediumtext of MySQL (16 MB).
INSERT INTO app.large SELECT i, repeat(chr(64 + i), n), decode(repeat('deadbeef', n / 20), 'hex')
  FROM (VALUES (1, 20000000), (2, 900000), (3, 30000)) s (i, n);

-- Every further kind of object.
CREATE SCHEMA more;
COMMENT ON SCHEMA more IS 'more of everything';
CREATE EXTENSION hstore SCHEMA more;
CREATE EXTENSION pg_trgm SCHEMA public;
CREATE EXTENSION btree_gist SCHEMA public;
CREATE EXTENSION file_fdw SCHEMA public;
CREATE TYPE more.shell;
CREATE FUNCTION more.shell_in(cstring) RETURNS more.shell LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION more.shell_out(more.shell) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE more.shell (INPUT = more.shell_in, OUTPUT = more.shell_out, LIKE = text);
CREATE DOMAIN more.code AS text COLLATE "C" DEFAULT 'x' NOT NULL CONSTRAINT short CHECK (length(VALUE) < 10);
CREATE DOMAIN more.codes AS more.code[];
COMMENT ON DOMAIN more.code IS 'short';
COMMENT ON CONSTRAINT short ON DOMAIN more.code IS 'really';
CREATE FUNCTION more.span_diff(a integer, b integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS 'SELECT (a - b)::double precision';
CREATE TYPE more.span AS RANGE (subtype = integer, subtype_diff = more.span_diff, multirange_type_name = more.spans);
CREATE TYPE more.nested AS (pair app.pair, codes text[], at timestamptz(3));
COMMENT ON COLUMN more.nested.codes IS 'an attribute';
CREATE COLLATION more.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE CONVERSION more.conv FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE TEXT SEARCH DICTIONARY more.dict (TEMPLATE = simple, STOPWORDS = english);
CREATE TEXT SEARCH CONFIGURATION more.config (COPY = english);
ALTER TEXT SEARCH CONFIGURATION more.config ALTER MAPPING FOR asciiword WITH more.dict, english_stem;
CREATE TEXT SEARCH TEMPLATE more.template (INIT = dsimple_init, LEXIZE = dsimple_lexize);
CREATE TEXT SEARCH PARSER more.parser (START = prsd_start, GETTOKEN = prsd_nexttoken, END = prsd_end, LEXTYPES = prsd_lextype);
CREATE FUNCTION more.compare(a more.nested, b more.nested) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 0';
CREATE FUNCTION more.add(a integer, b integer DEFAULT 1, VARIADIC c integer[] DEFAULT '{}') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT LEAKPROOF COST 7 AS 'SELECT a + b';
CREATE FUNCTION more.rows_of() RETURNS TABLE (a integer, b text) LANGUAGE sql ROWS 3 SET work_mem = '5MB' SECURITY DEFINER AS $f$ SELECT 1, 'a;b' $f$;
CREATE PROCEDURE more.do_it(a integer, INOUT b text) LANGUAGE sql BEGIN ATOMIC SELECT b; END;
CREATE AGGREGATE more.sums (integer) (SFUNC = int4pl, STYPE = integer, INITCOND = '0', COMBINEFUNC = int4pl, PARALLEL = safe);
CREATE AGGREGATE more.middle (double precision ORDER BY double precision) (SFUNC = ordered_set_transition, STYPE = internal, FINALFUNC = percentile_cont_float8_final);
COMMENT ON AGGREGATE more.sums (integer) IS 'sums';
CREATE OPERATOR more.<<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4lt, COMMUTATOR = OPERATOR(more.>>>), NEGATOR = OPERATOR(more.>>>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR more.!! (RIGHTARG = integer, FUNCTION = int4abs);
CREATE OPERATOR FAMILY more.family USING btree;
CREATE OPERATOR CLASS more.backwards FOR TYPE integer USING btree FAMILY more.family AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 btint4cmp(integer, integer);
CREATE CAST (app.pair AS text) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (app.pair AS text) IS 'as text';
CREATE FUNCTION more.to_transform(internal) RETURNS internal LANGUAGE internal STRICT IMMUTABLE AS 'textout';
CREATE ACCESS METHOD heap2 TYPE TABLE HANDLER heap_tableam_handler;
CREATE TABLE more.other_method (a integer) USING heap2;
INSERT INTO more.other_method SELECT generate_series(1, 10);

CREATE TABLE more.many (id bigint GENERATED ALWAYS AS IDENTITY (MINVALUE 5 MAXVALUE 500000 CACHE 3 CYCLE) PRIMARY KEY,
  by_default smallint GENERATED BY DEFAULT AS IDENTITY, code more.code, codes more.codes, n more.nested, h more.hstore, s more.span, ss more.spans, w text COLLATE more.ci, ts tsvector, sh more.shell,
  j jsonb, r int4range, p point, ip inet, a integer[], at timestamptz DEFAULT now(),
  up text GENERATED ALWAYS AS (upper(w COLLATE "C")) STORED,
  CONSTRAINT many_code UNIQUE NULLS NOT DISTINCT (w, by_default) INCLUDE (at) WITH (fillfactor = 80),
  CONSTRAINT many_no_overlap EXCLUDE USING gist (by_default WITH =, r WITH &&) WHERE (by_default > 0) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT many_check CHECK (by_default > -1 AND (w IS NULL OR length(w) < 1000)) NO INHERIT)
  WITH (fillfactor = 90, autovacuum_enabled = false, toast.autovacuum_enabled = false, toast_tuple_target = 4080, parallel_workers = 3);
INSERT INTO more.many (code, codes, n, h, s, ss, w, ts, sh, j, r, p, ip, a, at)
  SELECT 'c' || i % 7, ARRAY['a', 'b']::more.codes, ROW(ROW(i, 'sad')::app.pair, ARRAY['x', NULL], 'infinity')::more.nested, more.hstore('k' || i, NULL), more.span(i, i + 1), more.spans(more.span(i, i + 1)), 'W' || i,
         to_tsvector('english', 'words ' || i), more.shell 'sh', jsonb_build_object('i', i), int4range(i, i + 5), point(i, i), '10.0.0.1'::inet + i, ARRAY[i], '2020-01-01' FROM generate_series(1, 200) i;
CREATE INDEX many_hash ON more.many USING hash (w);
CREATE INDEX many_gin ON more.many USING gin (j jsonb_path_ops, a) WITH (fastupdate = off);
CREATE INDEX many_gin_ts ON more.many USING gin (ts);
CREATE INDEX many_gist ON more.many USING gist (p, r);
CREATE INDEX many_spgist ON more.many USING spgist (ip inet_ops);
CREATE INDEX many_brin ON more.many USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX many_trgm ON more.many USING gin ((w COLLATE "C") public.gin_trgm_ops);
CREATE INDEX many_class ON more.many USING btree ((by_default + 0) more.backwards, (lower(w COLLATE "C")) COLLATE "C" DESC NULLS LAST) WHERE by_default IS NOT NULL;
CREATE UNIQUE INDEX many_unique ON more.many (id, code) NULLS NOT DISTINCT;
COMMENT ON INDEX more.many_hash IS 'a hash';
CREATE STATISTICS more.many_stats (ndistinct, mcv) ON by_default, code, (length(w)) FROM more.many;
ALTER STATISTICS more.many_stats SET STATISTICS 77;
COMMENT ON STATISTICS more.many_stats IS 'numbers';
ALTER TABLE more.many ALTER COLUMN j SET COMPRESSION pglz, ALTER COLUMN w SET STATISTICS 321, ALTER COLUMN code SET (n_distinct = -0.5), ALTER COLUMN a SET STORAGE MAIN;
ALTER TABLE more.many REPLICA IDENTITY FULL;
CREATE TABLE more.replica_nothing (a integer);
ALTER TABLE more.replica_nothing REPLICA IDENTITY NOTHING;
CREATE TABLE more.typed OF more.nested (at WITH OPTIONS NOT NULL, PRIMARY KEY (at));
CREATE TABLE more.two_parents (x integer) INHERITS (app.parent, app.empty);
CREATE TABLE more.not_null_inherited () INHERITS (more.two_parents);

CREATE TABLE more.parts (id integer NOT NULL, kind text NOT NULL, at date NOT NULL, n integer DEFAULT 3, PRIMARY KEY (id, kind, at)) PARTITION BY LIST (kind);
CREATE TABLE more.parts_a PARTITION OF more.parts (n DEFAULT 4) FOR VALUES IN ('a', NULL) PARTITION BY HASH (id);
CREATE TABLE more.parts_a0 PARTITION OF more.parts_a FOR VALUES WITH (MODULUS 2, REMAINDER 0) WITH (fillfactor = 60);
CREATE TABLE more.parts_a1 (n integer, at date NOT NULL, id integer NOT NULL, kind text NOT NULL, CHECK (n < 1000));
ALTER TABLE more.parts_a ATTACH PARTITION more.parts_a1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE more.parts_rest PARTITION OF more.parts DEFAULT PARTITION BY RANGE (at, id);
CREATE TABLE more.parts_rest_old PARTITION OF more.parts_rest FOR VALUES FROM (MINVALUE, MINVALUE) TO ('2020-01-01', MAXVALUE);
CREATE TABLE more.parts_rest_new PARTITION OF more.parts_rest DEFAULT;
CREATE INDEX parts_n ON more.parts (n, id);
CREATE INDEX parts_only ON ONLY more.parts (at);
CREATE INDEX parts_a0_extra ON more.parts_a0 (n);
INSERT INTO more.parts SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3], DATE '2019-06-01' + i, i FROM generate_series(1, 500) i;
CREATE TABLE more.parts_ref (id integer, kind text, at date, CONSTRAINT to_parts FOREIGN KEY (id, kind, at) REFERENCES more.parts ON DELETE CASCADE) PARTITION BY HASH (id);
CREATE TABLE more.parts_ref_0 PARTITION OF more.parts_ref FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO more.parts_ref SELECT id, kind, at FROM more.parts LIMIT 20;
CREATE TABLE more.unlogged_parts (id integer) PARTITION BY RANGE (id);
CREATE UNLOGGED TABLE more.unlogged_part PARTITION OF more.unlogged_parts FOR VALUES FROM (0) TO (10);

CREATE TABLE more.tree (id integer PRIMARY KEY, up integer, CONSTRAINT tree_up FOREIGN KEY (up) REFERENCES more.tree MATCH FULL ON DELETE SET NULL (up) DEFERRABLE);
INSERT INTO more.tree VALUES (1, 1), (2, 1), (3, 2);
CREATE TABLE more.watched (id integer, t text);
CREATE FUNCTION more.watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER always AFTER UPDATE ON more.watched REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION more.watch('a''b', 'c');
CREATE TRIGGER t_always AFTER INSERT ON more.watched FOR EACH ROW EXECUTE FUNCTION more.watch();
CREATE TRIGGER t_replica AFTER DELETE ON more.watched FOR EACH ROW EXECUTE FUNCTION more.watch();
CREATE TRIGGER t_truncate AFTER TRUNCATE ON more.watched EXECUTE FUNCTION more.watch();
CREATE CONSTRAINT TRIGGER t_constraint AFTER INSERT ON more.watched DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION more.watch();
ALTER TABLE more.watched ENABLE ALWAYS TRIGGER t_always;
ALTER TABLE more.watched ENABLE REPLICA TRIGGER t_replica;
COMMENT ON TRIGGER t_always ON more.watched IS 'always';
CREATE TRIGGER parts_t AFTER INSERT ON more.parts FOR EACH ROW EXECUTE FUNCTION more.watch();
ALTER TABLE more.parts_rest_new DISABLE TRIGGER parts_t;
CREATE RULE note AS ON UPDATE TO more.watched WHERE NEW.id > 5 DO ALSO (INSERT INTO more.tree VALUES (NEW.id); DELETE FROM more.tree WHERE id = 77);
ALTER TABLE more.watched DISABLE RULE note;
COMMENT ON RULE note ON more.watched IS 'a rule';
CREATE FUNCTION more.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN NULL; END $$;
CREATE EVENT TRIGGER on_ddl ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'DROP TABLE') EXECUTE FUNCTION more.on_ddl();
ALTER EVENT TRIGGER on_ddl DISABLE;
COMMENT ON EVENT TRIGGER on_ddl IS 'off';
CREATE TABLE more.guarded (id integer, who name);
ALTER TABLE more.guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY p_all ON more.guarded AS RESTRICTIVE FOR ALL TO PUBLIC USING (id > 0) WITH CHECK (who = current_user);
CREATE POLICY p_insert ON more.guarded FOR INSERT WITH CHECK (true);
COMMENT ON POLICY p_all ON more.guarded IS 'a policy';
CREATE VIEW more.v_recursive AS WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t;
CREATE VIEW more.v_invoker WITH (security_invoker = true, check_option = local) AS SELECT id, t AS "a ""b" FROM more.watched WHERE id > 0;
ALTER VIEW more.v_invoker ALTER COLUMN id SET DEFAULT 9;
COMMENT ON VIEW more.v_invoker IS 'a view';
CREATE FUNCTION more.into_view() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER into_view INSTEAD OF INSERT ON more.v_invoker FOR EACH ROW EXECUTE FUNCTION more.into_view();
-- A view and a function that need each other's row type, so that the view is made in two steps.
CREATE VIEW more.circle AS SELECT 1 AS a;
CREATE FUNCTION more.of_circle() RETURNS SETOF more.circle LANGUAGE sql AS 'SELECT 1';
CREATE OR REPLACE VIEW more.circle AS SELECT a FROM more.of_circle();
CREATE MATERIALIZED VIEW more.mat WITH (fillfactor = 50) AS SELECT id, w FROM more.many;
CREATE UNIQUE INDEX mat_id ON more.mat (id);
COMMENT ON MATERIALIZED VIEW more.mat IS 'kept';
CREATE SEQUENCE more.owned_by_column OWNED BY more.watched.id;
CREATE UNLOGGED SEQUENCE more.unlogged_sequence;
CREATE SEQUENCE more.big AS bigint INCREMENT 1000000007 START 9223372036 CACHE 50;
COMMENT ON SEQUENCE more.big IS 'big';
SELECT nextval('more.big');
CREATE SERVER more_server TYPE 't' VERSION '1' FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE more.remote (a integer OPTIONS (force_null 'true') NOT NULL, b text DEFAULT 'x', CHECK (a > 0)) SERVER more_server OPTIONS (filename '/nowhere', format 'csv');
CREATE FOREIGN DATA WRAPPER own_wrapper OPTIONS (debug 'true');
CREATE SERVER own_server FOREIGN DATA WRAPPER own_wrapper OPTIONS (host 'h');
CREATE USER MAPPING FOR PUBLIC SERVER own_server OPTIONS (secret 's''x');
COMMENT ON SERVER own_server IS 'a server';
CREATE PUBLICATION all_tables FOR ALL TABLES WITH (publish = 'insert', publish_via_partition_root = true);
CREATE PUBLICATION of_schema FOR TABLES IN SCHEMA more;
CREATE PUBLICATION filtered FOR TABLE more.tree WHERE (id > 3);
COMMENT ON PUBLICATION filtered IS 'some';
GRANT USAGE ON SCHEMA more TO PUBLIC;
GRANT EXECUTE ON FUNCTION more.watch() TO PUBLIC;
REVOKE EXECUTE ON FUNCTION more.on_ddl() FROM PUBLIC;
GRANT USAGE ON SEQUENCE more.big TO PUBLIC;
GRANT USAGE ON TYPE more.nested TO PUBLIC;
REVOKE USAGE ON TYPE more.code FROM PUBLIC;
GRANT USAGE ON FOREIGN SERVER own_server TO PUBLIC;
GRANT INSERT (id), REFERENCES (id) ON more.watched TO PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
DO $$ BEGIN EXECUTE 'CREATE TABLE more.wide (' || (SELECT string_agg(format('c%s integer', i), ', ') FROM generate_series(1, 1200) i) || ')'; END $$;
INSERT INTO more.wide (c1, c600, c1200) VALUES (1, 2, 3), (NULL, NULL, NULL);
CREATE TABLE more."select" ("from" integer, "where" text, "Order" integer, "order" integer);
INSERT INTO more."select" VALUES (1, 'x', 2, 3);
CREATE TABLE more."0123456789012345678901234567890123456789012345678901234567890ab" ("0123456789012345678901234567890123456789012345678901234567890cd" integer PRIMARY KEY, "😀" text);
INSERT INTO more."0123456789012345678901234567890123456789012345678901234567890ab" VALUES (1, '😀');
COMMENT ON COLUMN more."select"."from" IS E'line\nline \\ ''q'' "d"';
