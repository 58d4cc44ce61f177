CREATE TABLE f (id int PRIMARY KEY, a varchar(20) NOT NULL, h int INVISIBLE DEFAULT 5, j json, g geometry NOT NULL SRID 4326, v vector(2),
  x int GENERATED ALWAYS AS (id + 1) STORED NOT NULL,
  KEY low ((lower(a))), KEY inv (a) INVISIBLE, KEY down (a DESC, id), SPATIAL KEY (g), KEY multi ((CAST(j->'$.t' AS UNSIGNED ARRAY))),
  FULLTEXT KEY ft (a) WITH PARSER ngram, CONSTRAINT soft CHECK (id <> 3) NOT ENFORCED, CONSTRAINT rx CHECK (regexp_like(a, '^[a-z]+$')))
  STATS_PERSISTENT=1;
INSERT INTO f (id, a, h, j, g, v) VALUES (1, 'abc', 9, '{"t": [1, 2]}', ST_GeomFromText('POINT(45 90)', 4326), STRING_TO_VECTOR('[1,2.5]')), (3, 'b', NULL, NULL, ST_GeomFromText('POINT(-1 2)', 4326), NULL);
CREATE TABLE cs (id int PRIMARY KEY, a varchar(9) COLLATE utf8mb4_0900_as_cs, b varchar(9) COLLATE utf8mb4_ja_0900_as_cs, UNIQUE (a)) COLLATE utf8mb4_0900_bin;
INSERT INTO cs VALUES (1, 'a', 'x'), (2, 'A', 'y'), (3, 'a ', 'z');
CREATE TABLE hidden (a int) ;
INSERT INTO hidden VALUES (1);
