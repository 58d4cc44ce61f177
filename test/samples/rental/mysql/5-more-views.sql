-- Film rental, MySQL and MariaDB: views that are not translated for PostgreSQL, one of each kind. The report gives text and reason.

CREATE VIEW film_list AS
  SELECT f.film_no, f.title, GROUP_CONCAT(CONCAT(p.name, ' (', c.job, ')') ORDER BY p.name, p.person_no SEPARATOR ', ') AS people
  FROM film f JOIN credit c ON c.film_no = f.film_no JOIN person p ON p.person_no = c.person_no
  GROUP BY f.film_no;

CREATE VIEW income_by_genre AS
  SELECT g.name AS genre, SUM(y.amount) AS income
  FROM payment y JOIN loan l ON l.loan_no = y.loan_no JOIN disc d ON d.disc_no = l.disc_no
    JOIN film_genre fg ON fg.film_no = d.film_no JOIN genre g ON g.genre_no = fg.genre_no
  GROUP BY g.name ORDER BY income DESC;

CREATE VIEW members_named_anna AS SELECT member_no FROM member WHERE given_name = 'Anna';

CREATE VIEW shouted_titles AS SELECT film_no, UPPER(title) AS title FROM film;

CREATE VIEW numbered_titles AS SELECT film_no FROM film WHERE title REGEXP '[0-9]$';

CREATE VIEW film_ranks AS
  SELECT film_no, RANK() OVER (PARTITION BY from_age ORDER BY minutes DESC) AS place FROM film;

CREATE VIEW first_places AS SELECT r.film_no FROM film_ranks r WHERE r.place = 1;

CREATE VIEW chain_of_bosses AS
  WITH RECURSIVE chain AS (
    SELECT employee_no, boss, 1 AS depth FROM employee WHERE boss IS NULL
    UNION ALL
    SELECT e.employee_no, e.boss, c.depth + 1 FROM employee e JOIN chain c ON c.employee_no = e.boss
  )
  SELECT * FROM chain;

CREATE VIEW income_with_totals AS
  SELECT branch_no, employee_no, COUNT(*) AS many FROM loan GROUP BY branch_no, employee_no WITH ROLLUP;

CREATE VIEW wished_genres AS SELECT member_no, JSON_EXTRACT(wishes, '$.genre') AS genre FROM member;

CREATE VIEW changes_by_hour AS SELECT film_no, HOUR(changed) AS hour FROM film;

CREATE VIEW loan_hours AS SELECT loan_no, TIMESTAMPDIFF(HOUR, taken, returned) AS hours FROM loan;

CREATE VIEW found_films AS SELECT film_no FROM film WHERE MATCH (title, plot) AGAINST ('lantern');

CREATE VIEW debts AS SELECT member_no, debt_of(member_no) AS debt FROM member;
