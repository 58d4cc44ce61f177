-- Film rental, MySQL and MariaDB: views that are translated for PostgreSQL, one of each kind.

CREATE VIEW member_list AS
  SELECT m.member_no AS id, CONCAT(m.given_name, ' ', m.family_name) AS `full name`, p.name AS place, m.country,
    IF(m.active, 'active', '') AS notes, m.level, COALESCE(m.email, 'none') AS email
  FROM member m JOIN place p ON p.country = m.country AND p.postcode = m.postcode;

CREATE VIEW crew_list AS
  SELECT e.employee_no, CONCAT(e.name, ', ', b.name) AS who, boss.name AS boss
  FROM employee e JOIN branch b ON b.branch_no = e.branch_no LEFT JOIN employee boss ON boss.employee_no = e.boss;

CREATE VIEW branch_income AS
  SELECT b.branch_no, CONCAT(b.name, ', ', b.country) AS branch, SUM(y.amount) AS income
  FROM payment y JOIN loan l ON l.loan_no = y.loan_no JOIN branch b ON b.branch_no = l.branch_no
  GROUP BY b.branch_no ORDER BY b.branch_no;

CREATE VIEW film_prices AS
  SELECT film_no, title, day_price * 2 AS twice, minutes / 60 AS hours, from_age = '12' AS is_12, days DIV 2 AS half_days
  FROM film;

CREATE VIEW member_totals AS
  SELECT m.member_no, COUNT(l.loan_no) AS loans, MAX(l.taken) AS latest, SUM(y.amount) AS paid, AVG(y.amount) AS mean
  FROM member m LEFT JOIN loan l ON l.member_no = m.member_no LEFT JOIN payment y ON y.loan_no = l.loan_no
  GROUP BY m.member_no;

CREATE VIEW busy_branches AS
  SELECT branch_no, COUNT(*) AS many, COUNT(DISTINCT member_no) AS members
  FROM loan GROUP BY branch_no HAVING many > 350 ORDER BY many DESC;

CREATE VIEW lendable_films AS
  SELECT film_no, minutes FROM film
  WHERE EXISTS (SELECT 1 FROM disc d WHERE d.film_no = film.film_no)
    AND film_no NOT IN (SELECT film_no FROM credit WHERE person_no < 10);

CREATE VIEW short_or_long AS
  SELECT film_no AS id, minutes FROM film WHERE minutes > 150
  UNION ALL
  SELECT film_no, minutes FROM film WHERE minutes < 80;

CREATE VIEW short_or_long_kind AS
  SELECT s.id, CASE WHEN s.minutes > 150 THEN 'long' ELSE 'short' END AS kind FROM short_or_long s;

CREATE VIEW seasoned_people AS
  SELECT d.person_no, d.films FROM (SELECT person_no, COUNT(*) AS films FROM credit GROUP BY person_no) d
  WHERE d.films BETWEEN 6 AND 9;

CREATE VIEW longest_films AS
  SELECT film_no, COALESCE(minutes, 0) AS minutes FROM film ORDER BY minutes DESC, film_no LIMIT 10;

CREATE VIEW last_film_of_person AS
  SELECT p.person_no, (SELECT MAX(c.film_no) FROM credit c WHERE c.person_no = p.person_no) AS last_film FROM person p;

CREATE VIEW genre_sizes AS
  WITH sizes AS (SELECT genre_no, COUNT(*) AS films FROM film_genre GROUP BY genre_no)
  SELECT g.genre_no, g.name, s.films FROM genre g JOIN sizes s ON s.genre_no = g.genre_no;

CREATE VIEW loan_states AS
  SELECT loan_no, returned IS NULL AS still_out, NULLIF(employee_no, 1) AS other_employee, branch_no <=> NULL AS nowhere,
    GREATEST(member_no, disc_no) AS larger
  FROM loan WHERE NOT (branch_no = 2 XOR employee_no > 20);

CREATE VIEW loans_by_month AS
  SELECT YEAR(taken) AS year, MONTH(taken) AS month, COUNT(*) AS many FROM loan GROUP BY YEAR(taken), MONTH(taken);

CREATE VIEW genre_numbers AS
  SELECT film_no, GROUP_CONCAT(genre_no ORDER BY genre_no SEPARATOR '+') AS genres FROM film_genre GROUP BY film_no;

CREATE VIEW disc_formats AS SELECT DISTINCT branch_no, format FROM disc;

CREATE SQL SECURITY INVOKER VIEW `own "loans"` AS SELECT loan_no AS `loan``no`, taken AS `it's taken` FROM loan WHERE member_no = 7;

CREATE VIEW cheap_films AS SELECT film_no, title, language, day_price FROM film WHERE day_price < 2 WITH CASCADED CHECK OPTION;
