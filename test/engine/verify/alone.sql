CREATE TABLE kinds (
  id INT AUTO_INCREMENT PRIMARY KEY, t TINYINT, tb TINYINT(1), s SMALLINT UNSIGNED, m MEDIUMINT, b BIGINT, bu BIGINT UNSIGNED, z INT(8) UNSIGNED ZEROFILL,
  d DECIMAL(20,6), dd DECIMAL(65,30), f FLOAT, g DOUBLE, b1 BIT(1), b9 BIT(9), c CHAR(10), v VARCHAR(200), l1 VARCHAR(50) CHARACTER SET latin1,
  tx LONGTEXT, bi BINARY(4), vb VARBINARY(10), bl BLOB, da DATE, dt DATETIME(6), ts TIMESTAMP(3) NULL, ti TIME(3), ti2 TIME(2), y YEAR,
  j JSON, e ENUM('a','ü','c,d'), st SET('x','y z','w'), p POINT
) CHARACTER SET utf8mb4;
SET sql_mode = '';
INSERT INTO kinds VALUES
 (1, -128, 1, 65535, -8388608, -9223372036854775808, 18446744073709551615, 42, -1.500000, 12345678901234567890123456789012345.678901234567890123456789012345, 16777216, 1e308,
  b'1', b'101010101', 'pad  ', 'naïve 😀 ''q"\\', 'café €', REPEAT('long ', 1000), 'ab', x'00ff', x'', '2020-02-29', '1999-12-31 23:59:59.999999', '2001-01-01 00:00:00.5', '12:34:56.78', '838:59:59', 1901,
  '{"b": [1, 2.50, -0.1, 1e30], "a": {"z": null, "y": "\\u00e9\\n"}}', 'ü', 'x,w', POINT(1.5, -2)),
 (2, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0.1, -0e0, b'0', b'0', '', '', '', '', '', '', 'x', '0000-00-00', '2000-00-10 01:02:03', NULL, '00:00:00', '-00:00:01.5', 0, '[]', 'c,d', '', NULL),
 (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (4, 5, 1, 1, 1, 1, 1, 1, 1.1, 1.1, 3.4e38, 5e-324, b'1', b'1', 'x', CONCAT('nul', CHAR(0 USING utf8mb4), 'byte'), 'x', 'x', 'x', 'x', 'x', '9999-12-31', '0001-01-01 00:00:00', NULL, '23:59:59', '10:00:00', 2155, '"s"', '', 'y z', POINT(0,0));
CREATE TABLE keyless (a INT, b VARCHAR(10));
INSERT INTO keyless VALUES (1, 'x'), (1, 'x'), (NULL, NULL), (2, 'y');
CREATE TABLE worded (k VARCHAR(30) COLLATE utf8mb4_0900_ai_ci, n INT, v TEXT, PRIMARY KEY (k, n));
INSERT INTO worded VALUES ('a', 1, 'one'), ('B', 2, 'two'), ('ç', 3, 'three');
CREATE TABLE empty_ (id INT PRIMARY KEY);
CREATE VIEW seen AS SELECT id FROM kinds
