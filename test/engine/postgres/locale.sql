CREATE TYPE mood AS ENUM ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
CREATE TABLE hashed (id int, m mood, PRIMARY KEY (id, m)) PARTITION BY HASH (m);
CREATE TABLE ranged (t text PRIMARY KEY, n int) PARTITION BY RANGE (t);
CREATE TABLE ranged_low PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO ('a');
CREATE TABLE ranged_high (n int, t text NOT NULL);
ALTER TABLE ranged ATTACH PARTITION ranged_high FOR VALUES FROM ('a') TO (MAXVALUE);
CREATE TABLE days (day date, m mood) PARTITION BY RANGE (day);
CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM ('2024-01-01') TO ('2025-01-01') PARTITION BY HASH (m);
CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE sure (id int) PARTITION BY HASH (id);
DO $$ BEGIN FOR i IN 0..3 LOOP
  EXECUTE format('CREATE TABLE hashed_%s PARTITION OF hashed FOR VALUES WITH (MODULUS 4, REMAINDER %s)', i, i);
  EXECUTE format('CREATE TABLE days_1_%s PARTITION OF days_1 FOR VALUES WITH (MODULUS 4, REMAINDER %s)', i, i);
  EXECUTE format('CREATE TABLE sure_%s PARTITION OF sure FOR VALUES WITH (MODULUS 4, REMAINDER %s)', i, i);
END LOOP; END $$;
INSERT INTO hashed SELECT i, (enum_range(NULL::mood))[i % 8 + 1] FROM generate_series(1, 80) i;
INSERT INTO ranged VALUES ('A', 1), ('B', 2), ('a', 3), ('b', 4);
INSERT INTO days SELECT date '2024-01-01' + i, (enum_range(NULL::mood))[i % 8 + 1] FROM generate_series(0, 700) i;
INSERT INTO sure SELECT generate_series(1, 40)
