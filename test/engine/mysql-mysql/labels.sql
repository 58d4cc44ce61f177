SET SESSION sql_mode = '';
CREATE TABLE parents (id int PRIMARY KEY);
CREATE TABLE doubled (
  id int AUTO_INCREMENT PRIMARY KEY, parent int, a enum('a','b','a'), e enum('','x',''), c enum('a','A','b') CHARACTER SET utf8mb4,
  s set('a','b','a'), t set('','a',''), d enum('ä','a') CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, q enum('a?','b','b'),
  KEY (a, e), UNIQUE KEY (id, s), FOREIGN KEY (parent) REFERENCES parents (id)
);
INSERT INTO parents VALUES (1);
INSERT INTO doubled VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1), (2, 1, 2, 2, 2, 4, 4, 2, 2), (3, NULL, 3, 3, 3, 7, 5, 0, 3), (4, NULL, 0, 0, 0, 0, 0, 0, 0), (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE large (id int PRIMARY KEY, a enum('a','b','a'), filler varchar(600), KEY (a), KEY (filler));
INSERT INTO large SELECT n, 1 + n % 3, REPEAT('x', 600) FROM (SELECT p.n + 10 * q.n + 100 * r.n + 1000 * s.n AS n FROM digits p, digits q, digits r, digits s WHERE s.n < 10) numbers; ANALYZE TABLE large;
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'
