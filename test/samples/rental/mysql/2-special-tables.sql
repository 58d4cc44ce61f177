-- Film rental, MySQL and MariaDB: partitions, a full-text search table, limits of types, quoted names.
CREATE TABLE till_entry (
  entry_no INT NOT NULL,
  day DATE NOT NULL,
  cents BIGINT NOT NULL,
  remark VARCHAR(80) DEFAULT NULL,
  PRIMARY KEY (entry_no, day)
)
PARTITION BY RANGE COLUMNS (day) (
  PARTITION till_2023 VALUES LESS THAN ('2024-01-01'),
  PARTITION till_2024 VALUES LESS THAN ('2025-01-01'),
  PARTITION till_rest VALUES LESS THAN (MAXVALUE)
);

CREATE TABLE stock_move (
  move_no INT NOT NULL,
  kind TINYINT NOT NULL COMMENT '1 bought, 2 moved, 3 lost, 4 sold',
  disc_no MEDIUMINT UNSIGNED NOT NULL,
  PRIMARY KEY (move_no, kind)
)
PARTITION BY LIST (kind) (
  PARTITION move_in VALUES IN (1, 2),
  PARTITION move_out VALUES IN (3, 4)
);

CREATE TABLE page_visit (
  visit_no BIGINT UNSIGNED NOT NULL,
  path VARCHAR(120) NOT NULL,
  took DOUBLE NOT NULL,
  PRIMARY KEY (visit_no)
)
PARTITION BY HASH (visit_no) PARTITIONS 4;

CREATE TABLE film_search (
  film_no SMALLINT UNSIGNED NOT NULL PRIMARY KEY,
  title VARCHAR(120) NOT NULL,
  plot TEXT,
  FULLTEXT KEY film_search_words (title, plot)
);

CREATE TABLE measured (
  id INT NOT NULL PRIMARY KEY,
  tiny TINYINT NOT NULL,
  tiny_unsigned TINYINT UNSIGNED NOT NULL,
  flag TINYINT(1) DEFAULT NULL,
  medium MEDIUMINT DEFAULT NULL,
  whole INT UNSIGNED DEFAULT NULL,
  big BIGINT DEFAULT NULL,
  biggest BIGINT UNSIGNED DEFAULT NULL,
  exact DECIMAL(30,10) DEFAULT NULL,
  single FLOAT DEFAULT NULL,
  dbl DOUBLE DEFAULT NULL,
  one_bit BIT(1) DEFAULT NULL,
  bits BIT(12) DEFAULT NULL,
  clock TIME(3) DEFAULT NULL,
  moment DATETIME(6) DEFAULT NULL,
  instant TIMESTAMP(6) NULL DEFAULT NULL,
  code CHAR(4) DEFAULT NULL,
  latin VARCHAR(20) CHARACTER SET latin1 DEFAULT NULL,
  fixed BINARY(8) DEFAULT NULL,
  small TINYBLOB DEFAULT NULL,
  large LONGBLOB DEFAULT NULL,
  words LONGTEXT DEFAULT NULL,
  document JSON DEFAULT NULL,
  shape GEOMETRY DEFAULT NULL
);

INSERT INTO measured VALUES
  (1, -128, 0, 0, -8388608, 0, -9223372036854775808, 0, -12345678901234567890.0123456789, 0.5, 2.5e-300, b'0', b'0', '00:00:00', '1000-01-01 00:00:00', '1970-01-02 00:00:01', '', '', 0x0000000000000000, '', '', '', '{}', ST_GeomFromText('POINT(0 0)')),
  (2, 127, 255, 1, 8388607, 4294967295, 9223372036854775807, 18446744073709551615, 99999999999999999999.9999999999, -1.25, 1.7976931348623157e308, b'1', b'111111111111', '23:59:59.999', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07.999999', 'äß€😀', 'café', 0xff00fe01fd02fc03, 0x00ff, REPEAT(0x00ff27225c0a, 20000), REPEAT('long words, ', 5000), '{"a": [1, 2.5, null, true], "bb": {"c": "😀"}}', ST_GeomFromText('POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))')),
  (3, 0, 7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.1, b'1', b'101', '12:30:15.25', '2024-02-29 12:00:00.5', '2024-02-29 12:00:00.5', 'a', 'ÿ', 0x6162, 'tab\there', 'more\0bytes', 'nul\0here, line\nbreak, quote '' and \\', '[]', ST_GeomFromText('LINESTRING(0 0, 1.5 -2.25)'));

CREATE TABLE `we"ird ``table` (
  `select` INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `two words` VARCHAR(30) COLLATE utf8mb4_bin NOT NULL DEFAULT 'it''s',
  `quo"te` VARCHAR(30) DEFAULT NULL,
  `back``tick` INT DEFAULT NULL,
  `naïve_日本` VARCHAR(30) DEFAULT NULL,
  `Upper` INT NOT NULL DEFAULT 0,
  UNIQUE KEY `un"ique ``key` (`two words`),
  KEY `or` (`back``tick`),
  CONSTRAINT `chëck "it"` CHECK (`Upper` >= 0)
) COMMENT = 'All names must be quoted; this comment has '' and \\';

INSERT INTO `we"ird ``table` VALUES
  (1, 'trailing ', 'double " quote', 1, 'naïve', 0),
  (2, 'Trailing', 'single '' quote', NULL, '日本語', 1),
  (3, 'other', 'back \\ slash', -1, '👩‍👩‍👧', 2),
  (7, '%_;--', '', 0, 'İıſ', 3);
