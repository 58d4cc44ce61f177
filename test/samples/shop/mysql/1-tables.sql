-- Record shop, MySQL and MariaDB: a conversion of the PostgreSQL edition must give exactly these tables and rows.
SET SESSION foreign_key_checks = 0;
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
SET SESSION time_zone = '+00:00';

CREATE TABLE label (
  label_no INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(80) NOT NULL,
  founded DATE DEFAULT NULL
);

CREATE TABLE musician (
  musician_no INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(120) NOT NULL,
  alias_of INT DEFAULT NULL,
  about LONGTEXT DEFAULT NULL,
  KEY musician_alias (alias_of),
  CONSTRAINT musician_alias_fk FOREIGN KEY (alias_of) REFERENCES musician (musician_no) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE style (
  style_no SMALLINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(40) NOT NULL
);

CREATE TABLE record (
  record_no INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  label_no INT NOT NULL,
  barcode BIGINT NOT NULL,
  title VARCHAR(160) NOT NULL,
  medium ENUM('vinyl', 'cd', 'tape') NOT NULL,
  issued DATE NOT NULL,
  price DECIMAL(10,2) NOT NULL,
  weight DOUBLE DEFAULT NULL,
  used BOOLEAN NOT NULL DEFAULT FALSE,
  notes JSON DEFAULT NULL,
  cover LONGBLOB DEFAULT NULL,
  UNIQUE KEY record_barcode (barcode),
  KEY record_label (label_no),
  KEY record_issued (issued, price),
  CONSTRAINT record_label_fk FOREIGN KEY (label_no) REFERENCES label (label_no) ON DELETE NO ACTION ON UPDATE CASCADE,
  CONSTRAINT record_price_positive CHECK (price > 0)
);

CREATE TABLE record_style (
  record_no INT NOT NULL,
  style_no SMALLINT NOT NULL,
  PRIMARY KEY (record_no, style_no),
  KEY record_style_style (style_no),
  CONSTRAINT record_style_record_fk FOREIGN KEY (record_no) REFERENCES record (record_no) ON DELETE CASCADE ON UPDATE NO ACTION,
  CONSTRAINT record_style_style_fk FOREIGN KEY (style_no) REFERENCES style (style_no) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE track (
  record_no INT NOT NULL,
  side SMALLINT NOT NULL,
  position SMALLINT NOT NULL,
  title VARCHAR(200) NOT NULL,
  seconds INT DEFAULT NULL,
  PRIMARY KEY (record_no, side, position),
  CONSTRAINT track_record_fk FOREIGN KEY (record_no) REFERENCES record (record_no) ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE TABLE performance (
  record_no INT NOT NULL,
  side SMALLINT NOT NULL,
  position SMALLINT NOT NULL,
  musician_no INT NOT NULL,
  instrument VARCHAR(40) NOT NULL,
  PRIMARY KEY (record_no, side, position, musician_no),
  KEY performance_musician (musician_no),
  CONSTRAINT performance_track_fk FOREIGN KEY (record_no, side, position) REFERENCES track (record_no, side, position) ON DELETE CASCADE ON UPDATE NO ACTION,
  CONSTRAINT performance_musician_fk FOREIGN KEY (musician_no) REFERENCES musician (musician_no) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE clerk (
  clerk_no INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  shift_from TIME(6) NOT NULL,
  trained_by INT DEFAULT NULL,
  KEY clerk_trainer (trained_by),
  CONSTRAINT clerk_trainer_fk FOREIGN KEY (trained_by) REFERENCES clerk (clerk_no) ON DELETE SET NULL ON UPDATE NO ACTION
);

CREATE TABLE customer (
  customer_no INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(80) NOT NULL,
  city VARCHAR(60) DEFAULT NULL,
  country VARCHAR(40) NOT NULL,
  email VARCHAR(80) NOT NULL,
  served_by INT DEFAULT NULL,
  KEY customer_clerk (served_by),
  CONSTRAINT customer_clerk_fk FOREIGN KEY (served_by) REFERENCES clerk (clerk_no) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE purchase (
  purchase_no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  customer_no INT NOT NULL,
  made DATETIME(6) NOT NULL,
  total DECIMAL(12,2) NOT NULL,
  KEY purchase_customer (customer_no, made),
  CONSTRAINT purchase_customer_fk FOREIGN KEY (customer_no) REFERENCES customer (customer_no) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE purchase_line (
  purchase_no BIGINT NOT NULL,
  line SMALLINT NOT NULL,
  record_no INT NOT NULL,
  quantity INT NOT NULL DEFAULT 1,
  price DECIMAL(10,2) NOT NULL,
  PRIMARY KEY (purchase_no, line),
  KEY purchase_line_record (record_no),
  CONSTRAINT purchase_line_purchase_fk FOREIGN KEY (purchase_no) REFERENCES purchase (purchase_no) ON DELETE CASCADE ON UPDATE NO ACTION,
  CONSTRAINT purchase_line_record_fk FOREIGN KEY (record_no) REFERENCES record (record_no) ON DELETE NO ACTION ON UPDATE NO ACTION,
  CONSTRAINT purchase_line_some CHECK (quantity > 0)
);

CREATE TABLE waiting (
  customer_no INT NOT NULL,
  record_no INT NOT NULL,
  since DATE NOT NULL,
  PRIMARY KEY (customer_no, record_no),
  UNIQUE KEY waiting_turn (record_no, since, customer_no),
  CONSTRAINT waiting_customer_fk FOREIGN KEY (customer_no) REFERENCES customer (customer_no) ON DELETE CASCADE ON UPDATE NO ACTION,
  CONSTRAINT waiting_record_fk FOREIGN KEY (record_no) REFERENCES record (record_no) ON DELETE NO ACTION ON UPDATE NO ACTION
);
