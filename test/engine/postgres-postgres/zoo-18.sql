-- What only PostgreSQL 18 has.
CREATE TABLE more.virtual (i integer, v integer GENERATED ALWAYS AS (i * 2) VIRTUAL, s integer GENERATED ALWAYS AS (i * 3) STORED);
INSERT INTO more.virtual (i) VALUES (1), (2), (NULL);
CREATE TABLE more.booked (id integer, during daterange, CONSTRAINT booked_key PRIMARY KEY (id, during WITHOUT OVERLAPS));
INSERT INTO more.booked VALUES (1, '[2020-01-01,2020-02-01)'), (1, '[2020-02-01,2020-03-01)');
CREATE TABLE more.stays (id integer, during daterange, CONSTRAINT stays_booked FOREIGN KEY (id, PERIOD during) REFERENCES more.booked (id, PERIOD during));
INSERT INTO more.stays VALUES (1, '[2020-01-05,2020-02-20)');
CREATE TABLE more.lenient (id integer CONSTRAINT lenient_positive CHECK (id > 0) NOT ENFORCED, up integer CONSTRAINT lenient_up REFERENCES more.tree NOT ENFORCED, n integer);
INSERT INTO more.lenient VALUES (-1, 99, NULL);
ALTER TABLE more.lenient ADD CONSTRAINT lenient_n NOT NULL n NOT VALID;
CREATE TABLE more.named_not_null (a integer CONSTRAINT a_there NOT NULL NO INHERIT);
CREATE TABLE more.built_in_collation (t text COLLATE pg_c_utf8);
CREATE PUBLICATION generated FOR TABLE more.virtual WITH (publish_generated_columns = stored);
