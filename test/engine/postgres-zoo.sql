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
INSERT INTO app.large SELECT i, repeat(chr(64 + i), 20000000), decode(repeat('deadbeef', 1000000), 'hex') FROM generate_series(1, 3) i;
