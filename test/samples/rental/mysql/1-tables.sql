-- Film rental, MySQL and MariaDB: tables that exist in both editions.
SET SESSION foreign_key_checks = 0;
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
SET SESSION time_zone = '+00:00';

CREATE TABLE place (
  country CHAR(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  postcode VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(60) NOT NULL,
  position POINT NOT NULL,
  PRIMARY KEY (country, postcode),
  KEY place_name (name(8)),
  SPATIAL KEY place_position (position)
) COMMENT = 'Location of branches and members; it''s identified by country and postcode';

CREATE TABLE branch (
  branch_no TINYINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(40) NOT NULL,
  chief SMALLINT UNSIGNED NOT NULL COMMENT 'an employee: the two tables refer to each other',
  country CHAR(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  postcode VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  opens TIME NOT NULL DEFAULT '09:00:00',
  UNIQUE KEY branch_chief (chief),
  KEY branch_place (country, postcode),
  CONSTRAINT branch_chief_fk FOREIGN KEY (chief) REFERENCES employee (employee_no),
  CONSTRAINT branch_place_fk FOREIGN KEY (country, postcode) REFERENCES place (country, postcode) ON UPDATE CASCADE
);

CREATE TABLE employee (
  employee_no SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(50) NOT NULL,
  branch_no TINYINT UNSIGNED NOT NULL,
  boss SMALLINT UNSIGNED DEFAULT NULL,
  skills SET('till', 'repair', 'search', 'first aid') NOT NULL DEFAULT 'till',
  photo BLOB DEFAULT NULL,
  secret VARBINARY(32) NOT NULL,
  hired DATE NOT NULL,
  active BOOLEAN NOT NULL DEFAULT TRUE,
  KEY employee_branch (branch_no),
  KEY employee_boss (boss),
  CONSTRAINT employee_branch_fk FOREIGN KEY (branch_no) REFERENCES branch (branch_no),
  CONSTRAINT employee_boss_fk FOREIGN KEY (boss) REFERENCES employee (employee_no) ON DELETE SET NULL
);

CREATE TABLE member (
  member_no INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  given_name VARCHAR(40) NOT NULL,
  family_name VARCHAR(40) NOT NULL,
  full_name VARCHAR(81) GENERATED ALWAYS AS (CONCAT(given_name, ' ', family_name)) STORED,
  email VARCHAR(80) DEFAULT NULL,
  branch_no TINYINT UNSIGNED NOT NULL,
  country CHAR(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  postcode VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  level ENUM('plain', 'silver', 'gold') NOT NULL DEFAULT 'plain',
  wishes JSON DEFAULT NULL,
  born DATE DEFAULT NULL,
  joined DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  seen TIMESTAMP(3) NULL DEFAULT NULL,
  active BOOLEAN NOT NULL DEFAULT TRUE,
  UNIQUE KEY member_email (email),
  KEY member_name (family_name, given_name),
  KEY member_branch (branch_no),
  KEY member_place (country, postcode),
  CONSTRAINT member_branch_fk FOREIGN KEY (branch_no) REFERENCES branch (branch_no),
  CONSTRAINT member_place_fk FOREIGN KEY (country, postcode) REFERENCES place (country, postcode) ON UPDATE CASCADE,
  CONSTRAINT member_born_first CHECK (born IS NULL OR born < joined)
);

CREATE TABLE film (
  film_no SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title VARCHAR(120) NOT NULL,
  plot TEXT DEFAULT NULL,
  made YEAR DEFAULT NULL,
  language CHAR(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'en',
  minutes SMALLINT UNSIGNED DEFAULT NULL,
  day_price DECIMAL(5,2) NOT NULL DEFAULT 1.50,
  days TINYINT UNSIGNED NOT NULL DEFAULT 3,
  price DECIMAL(8,2) GENERATED ALWAYS AS (day_price * days) STORED,
  from_age ENUM('0', '6', '12', '16', '18') DEFAULT '0',
  extras SET('trailer', 'comments', 'cut scenes', 'making of') DEFAULT NULL,
  sequel_to SMALLINT UNSIGNED DEFAULT NULL,
  changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  KEY film_title (title(20)),
  /*!80013 KEY film_shouted ((upper(title))), */
  KEY film_sequel_to (sequel_to),
  FULLTEXT KEY film_words (title, plot),
  CONSTRAINT film_sequel_fk FOREIGN KEY (sequel_to) REFERENCES film (film_no),
  CONSTRAINT film_lasts CHECK (minutes > 0),
  CONSTRAINT film_costs CHECK (day_price BETWEEN 0 AND 100)
);

CREATE TABLE genre (
  genre_no TINYINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(30) NOT NULL
);

CREATE TABLE film_genre (
  film_no SMALLINT UNSIGNED NOT NULL,
  genre_no TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (film_no, genre_no),
  KEY film_genre_genre (genre_no),
  CONSTRAINT film_genre_film_fk FOREIGN KEY (film_no) REFERENCES film (film_no) ON DELETE CASCADE,
  CONSTRAINT film_genre_genre_fk FOREIGN KEY (genre_no) REFERENCES genre (genre_no)
);

CREATE TABLE person (
  person_no MEDIUMINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  born YEAR DEFAULT NULL,
  changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  KEY person_name (name)
);

CREATE TABLE credit (
  film_no SMALLINT UNSIGNED NOT NULL,
  person_no MEDIUMINT UNSIGNED NOT NULL,
  job ENUM('cast', 'director', 'music') NOT NULL,
  place SMALLINT NOT NULL DEFAULT 1,
  PRIMARY KEY (film_no, person_no, job),
  KEY credit_person (person_no),
  CONSTRAINT credit_film_fk FOREIGN KEY (film_no) REFERENCES film (film_no) ON DELETE CASCADE,
  CONSTRAINT credit_person_fk FOREIGN KEY (person_no) REFERENCES person (person_no)
);

CREATE TABLE disc (
  disc_no MEDIUMINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  film_no SMALLINT UNSIGNED NOT NULL,
  branch_no TINYINT UNSIGNED NOT NULL,
  format ENUM('dvd', 'blu-ray', 'tape') NOT NULL DEFAULT 'dvd',
  bought DATE NOT NULL,
  UNIQUE KEY disc_of_branch (branch_no, disc_no),
  KEY disc_film (film_no, branch_no),
  CONSTRAINT disc_film_fk FOREIGN KEY (film_no) REFERENCES film (film_no),
  CONSTRAINT disc_branch_fk FOREIGN KEY (branch_no) REFERENCES branch (branch_no)
);

CREATE TABLE loan (
  loan_no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  branch_no TINYINT UNSIGNED NOT NULL,
  disc_no MEDIUMINT UNSIGNED NOT NULL,
  member_no INT UNSIGNED NOT NULL,
  employee_no SMALLINT UNSIGNED NOT NULL,
  taken DATETIME(3) NOT NULL,
  returned DATETIME(3) DEFAULT NULL,
  UNIQUE KEY loan_once (taken, disc_no, member_no),
  KEY loan_disc (branch_no, disc_no),
  KEY loan_member (member_no),
  KEY loan_employee (employee_no),
  CONSTRAINT loan_disc_fk FOREIGN KEY (branch_no, disc_no) REFERENCES disc (branch_no, disc_no),
  CONSTRAINT loan_member_fk FOREIGN KEY (member_no) REFERENCES member (member_no),
  CONSTRAINT loan_employee_fk FOREIGN KEY (employee_no) REFERENCES employee (employee_no),
  CONSTRAINT loan_ends_later CHECK (returned > taken)
);

CREATE TABLE payment (
  payment_no INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  loan_no BIGINT DEFAULT NULL,
  member_no INT UNSIGNED NOT NULL,
  amount DECIMAL(7,2) NOT NULL,
  paid DATETIME NOT NULL,
  KEY payment_loan (loan_no),
  KEY payment_member (member_no, paid),
  CONSTRAINT payment_loan_fk FOREIGN KEY (loan_no) REFERENCES loan (loan_no) ON DELETE SET NULL,
  CONSTRAINT payment_member_fk FOREIGN KEY (member_no) REFERENCES member (member_no)
);
