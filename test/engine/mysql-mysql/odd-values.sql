CREATE TABLE `a``b` (`select` int PRIMARY KEY, `x'y"z\\` varchar(10), `new
line` int, `ü ß` int, `A b` int, KEY `k``1` (`ü ß`)) COMMENT 'it''s \\ a "comment"
of lines';
INSERT INTO `a``b` VALUES (0, 'x', 1, 2, 3), (-5, 'y', NULL, NULL, NULL);
CREATE TABLE `nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn` (`nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn` int, KEY `nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn` (`nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn`), CONSTRAINT `cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc` CHECK (`nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn` > 0));
INSERT INTO `nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn` VALUES (1);
CREATE TABLE nokey (a int, b text);
INSERT INTO nokey VALUES (1, 'a'), (1, 'a'), (NULL, NULL);
CREATE TABLE norows (a int PRIMARY KEY AUTO_INCREMENT) AUTO_INCREMENT = 77;
CREATE TABLE zero (id int PRIMARY KEY AUTO_INCREMENT, a int);
INSERT INTO zero VALUES (0, 0), (7, 7);
CREATE TABLE one_empty (a varchar(5) NOT NULL);
INSERT INTO one_empty VALUES (''), ('x'), ('');
CREATE TABLE computed (g int GENERATED ALWAYS AS (1 + 1) STORED);
INSERT INTO computed VALUES (), (), ();
CREATE TABLE vals (
  id int PRIMARY KEY, ti tinyint, tu tinyint unsigned, bi bigint, bu bigint unsigned, de decimal(65,30), fl float, fm float(7,3), du double,
  bo bit(1), b64 bit(64), da date, dt datetime(6), ts timestamp(6) NULL, tm time(6), yr year, ch char(5), vc varchar(20),
  bn binary(4), vb varbinary(20), tx text, bl blob, en enum('a','b','it''s',''), st set('x','y','z'),
  l1 varchar(20) CHARACTER SET latin1, u2 varchar(20) CHARACTER SET ucs2, sj varchar(20) CHARACTER SET sjis, gb varchar(20) CHARACTER SET gbk,
  u16 text CHARACTER SET utf16, ge geometry, zf int(6) unsigned zerofill
);
INSERT INTO vals (id, ti, tu, bi, bu, de, fl, fm, du, bo, b64) VALUES
  (1, -128, 255, -9223372036854775808, 18446744073709551615, 12345678901234567890123456789012345.123456789012345678901234567890, 16777217, 1.234, 1.7976931348623157e308, b'1', b'1111111111111111111111111111111111111111111111111111111111111111'),
  (2, 127, 0, 9223372036854775807, 0, -0.000000000000000000000000000001, 3.4028234e38, -0.001, 5e-324, b'0', b'0'),
  (3, NULL, NULL, NULL, NULL, NULL, -0.0, 0, -0.0, NULL, b'1001'),
  (4, NULL, NULL, NULL, NULL, NULL, 0.1, 1e-3, 0.1, NULL, NULL);
INSERT INTO vals (id, da, dt, ts, tm, yr, ch, vc, bn, vb, tx, bl, en, st) VALUES
  (10, '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '-838:59:59', 0, '', '', '', '', '', '', '', ''),
  (11, '2020-00-10', '2020-01-00 01:02:03.000001', '2038-01-19 03:14:07.999999', '838:59:59', 1901, 'a ', ' b  ', 'a', X'00090A0D5C27221AFF', 'tab\tnl\ncr\rback\\nul\0N \\N end', X'5C4E', 'it''s', 'x,z'),
  (12, '9999-12-31', '9999-12-31 23:59:59.999999', '2024-03-31 01:30:00', '24:00:00', 2155, '\\N', '\\N', X'00000000', NULL, '😀', X'00', 'b', 'x,y,z');
INSERT INTO vals (id, l1, u2, sj, gb, u16, ge, zf) VALUES
  (20, _latin1 X'E98081FF', _ucs2 X'0009000A005C00E9', _sjis X'835C8E9F', _gbk X'815C', _utf16 X'D83DDE0000090000', ST_GeomFromText('POINT(1 2)'), 42),
  (21, _latin1 X'C3A9', _ucs2 X'', _sjis X'', _gbk X'', _utf16 X'000A', ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))', 0), 0);
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES';
INSERT INTO vals (id, da) VALUES (30, '2021-02-31');
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
CREATE TABLE badenum (id int PRIMARY KEY, e enum('a','b'), f enum('c'));
INSERT IGNORE INTO badenum VALUES (1, 'nope', 'c'), (2, 'a', 'nope'), (3, 'nope', 'nope'), (4, NULL, NULL);
CREATE TABLE parent (id int PRIMARY KEY, other int, CONSTRAINT self FOREIGN KEY (other) REFERENCES parent (id) ON DELETE SET NULL);
CREATE TABLE child (id int PRIMARY KEY, p int, CONSTRAINT `fk 1` FOREIGN KEY (p) REFERENCES parent (id) ON UPDATE CASCADE ON DELETE CASCADE);
ALTER TABLE parent ADD c int, ADD CONSTRAINT circle FOREIGN KEY (c) REFERENCES child (id);
SET SESSION foreign_key_checks = 0;
INSERT INTO parent VALUES (1, 1, 1), (2, 99, NULL);
INSERT INTO child VALUES (1, 1), (2, 12345);
SET SESSION foreign_key_checks = 1;
CREATE TABLE hashed (id int PRIMARY KEY, v varchar(10)) PARTITION BY HASH (id) PARTITIONS 3;
INSERT INTO hashed VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE ranged (d date NOT NULL, v int) PARTITION BY RANGE (YEAR(d)) (PARTITION p0 VALUES LESS THAN (2000), PARTITION p1 VALUES LESS THAN MAXVALUE);
INSERT INTO ranged VALUES ('1999-01-01', 1), ('2020-01-01', 2);
CREATE TABLE gen (id int PRIMARY KEY, a int, v int GENERATED ALWAYS AS (a * 2) VIRTUAL, s varchar(20) GENERATED ALWAYS AS (concat(a, '-x')) STORED, KEY (v), UNIQUE KEY (s));
INSERT INTO gen (id, a) VALUES (1, 10), (2, NULL);
CREATE TABLE defs (id int PRIMARY KEY, t timestamp(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), e int DEFAULT (1 + 2), u varchar(36) DEFAULT (uuid()), s varchar(10) DEFAULT 'a''b\\', n int NOT NULL DEFAULT -1, tx text DEFAULT ('long'));
INSERT INTO defs (id, t, u) VALUES (1, '2020-01-01 00:00:00.123', 'x');
CREATE TABLE isam (id int AUTO_INCREMENT PRIMARY KEY, t text, FULLTEXT KEY ft (t)) ENGINE=MyISAM;
INSERT INTO isam (t) VALUES ('hello world');
CREATE TABLE mem (id int PRIMARY KEY) ENGINE=MEMORY;
INSERT INTO mem VALUES (1);
CREATE TABLE js (id int PRIMARY KEY, j json);
INSERT INTO js VALUES (1, '{"a": "\\u0000 é 😀", "b": [1, 2.5, -0.0, 1e100, null, true]}'), (2, NULL), (3, '"\\\\N"');
CREATE TABLE geo (id int PRIMARY KEY, p point NOT NULL, SPATIAL KEY (p));
INSERT INTO geo VALUES (1, ST_GeomFromText('POINT(3 4)'));
CREATE TABLE sys_prefix (t text, b blob, KEY (t(10)), KEY (b(5)), KEY d (t(3) DESC));
