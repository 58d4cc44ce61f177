-- Film rental, PostgreSQL: views that are translated for MySQL and MariaDB, one of each kind.

CREATE VIEW member_list AS
  SELECT m.member_no AS id, m.given_name || ' ' || m.family_name AS "full name", p.name AS place, m.country,
    CASE WHEN m.active THEN 'active' ELSE '' END AS notes, m.level, COALESCE(m.email, 'none') AS email
  FROM member m JOIN place p USING (country, postcode);

CREATE VIEW crew_list AS
  SELECT e.employee_no, concat(e.name, ', ', b.name) AS who, boss.name AS boss
  FROM employee e JOIN branch b ON b.branch_no = e.branch_no LEFT JOIN employee boss ON boss.employee_no = e.boss;

CREATE VIEW branch_income AS
  SELECT b.branch_no, b.name || ', ' || b.country AS branch, sum(y.amount) AS income
  FROM payment y JOIN loan l ON l.loan_no = y.loan_no JOIN branch b ON b.branch_no = l.branch_no
  GROUP BY b.branch_no ORDER BY b.branch_no;

CREATE VIEW family_films AS
  SELECT film_no, title, made, minutes, from_age, day_price FROM film WHERE from_age = ANY (ARRAY['0', '6', '12']::from_age[]);

CREATE VIEW film_numbers AS
  SELECT film_no, day_price * 2 AS twice, minutes / 60 AS hours, minutes % 60 AS rest, minutes::integer * minutes AS square,
    abs(day_price - 3) AS apart, length(title) AS letters, octet_length(plot) AS bytes
  FROM film;

CREATE VIEW member_totals AS
  SELECT m.member_no, count(l.loan_no) AS loans, max(l.taken) AS latest, sum(y.amount) AS paid
  FROM member m LEFT JOIN loan l USING (member_no) LEFT JOIN payment y ON y.loan_no = l.loan_no
  GROUP BY m.member_no;

CREATE VIEW busy_branches AS
  SELECT branch_no, count(*) AS many, count(DISTINCT postcode) AS places, count(*) FILTER (WHERE level = 'gold') AS gold,
    bool_or(active) AS any_active, bool_and(active) AS all_active
  FROM member GROUP BY branch_no HAVING count(*) > 60 ORDER BY count(*) DESC;

CREATE VIEW lendable_films AS
  SELECT film_no, minutes FROM film
  WHERE EXISTS (SELECT 1 FROM disc d WHERE d.film_no = film.film_no)
    AND film_no NOT IN (SELECT film_no FROM credit WHERE person_no < 10);

CREATE VIEW short_or_long AS
  SELECT film_no AS id, minutes FROM film WHERE minutes > 150
  UNION
  SELECT film_no, minutes FROM film WHERE minutes < 80;

CREATE VIEW short_or_long_kind AS
  SELECT s.id, CASE WHEN s.minutes > 150 THEN 'long' ELSE 'short' END AS kind FROM short_or_long s;

CREATE VIEW lent_and_liked AS
  SELECT film_no FROM disc WHERE format = 'dvd' INTERSECT SELECT film_no FROM film_genre WHERE genre_no < 4;

CREATE VIEW never_on_tape AS
  SELECT film_no FROM disc EXCEPT SELECT film_no FROM disc WHERE format = 'tape';

CREATE VIEW seasoned_people AS
  SELECT d.person_no, d.films FROM (SELECT person_no, count(*) AS films FROM credit GROUP BY person_no) d
  WHERE d.films BETWEEN 6 AND 9;

CREATE VIEW longest_films AS
  SELECT film_no, coalesce(minutes, 0) AS minutes FROM film ORDER BY minutes DESC, film_no LIMIT 10 OFFSET 3;

CREATE VIEW unborn_first AS SELECT member_no FROM member ORDER BY born NULLS FIRST, member_no LIMIT 200;

CREATE VIEW last_film_of_person AS
  SELECT p.person_no, (SELECT max(c.film_no) FROM credit c WHERE c.person_no = p.person_no) AS last_film FROM person p;

CREATE VIEW longest_of_age AS
  WITH longest AS (SELECT from_age, max(minutes) AS minutes FROM film GROUP BY from_age)
  SELECT f.film_no, f.from_age FROM film f JOIN longest l ON l.minutes = f.minutes WHERE f.from_age <> '18';

CREATE VIEW film_ranks AS
  SELECT film_no, rank() OVER (PARTITION BY from_age ORDER BY minutes DESC) AS place FROM film;

CREATE VIEW best_of_age AS
  SELECT r.film_no, f.title, r.place FROM film_ranks r JOIN film f USING (film_no) WHERE r.place <= 3;

CREATE VIEW odd_texts AS
  SELECT person_no, concat(name, NULL, '!') AS shouted, "left"(name, 2) || substring(name, 2) AS odd, person_no::text || '#' AS id,
    replace(name, 'a', 'A') AS replaced, strpos(name, 'a') AS place
  FROM person WHERE name LIKE '%a%' AND name <> 'Anna Lindqvist';

CREATE VIEW distinct_names AS SELECT DISTINCT given_name FROM member;

CREATE VIEW loan_days AS
  SELECT loan_no, EXTRACT(year FROM taken) AS year, EXTRACT(month FROM taken) AS month, taken::date AS day, taken > '2024-06-30' AS late,
    returned IS DISTINCT FROM taken AS moved
  FROM loan;

CREATE VIEW whole_films AS SELECT * FROM film;

CREATE VIEW archive.notices WITH (security_invoker) AS SELECT film_no AS "film`no", title AS "it's ""titled""" FROM public.film WHERE days = 5;

CREATE VIEW cheap_films AS SELECT film_no, title, language, day_price FROM film WHERE day_price < 2 WITH CASCADED CHECK OPTION;

CREATE MATERIALIZED VIEW income_by_genre AS
  SELECT g.name AS genre, sum(y.amount) AS income, avg(y.amount) AS mean
  FROM payment y JOIN loan USING (loan_no) JOIN disc USING (disc_no) JOIN film_genre USING (film_no) JOIN genre g USING (genre_no)
  GROUP BY g.name;
CREATE UNIQUE INDEX income_of_genre ON income_by_genre (genre);

CREATE MATERIALIZED VIEW archive.not_yet AS SELECT count(*) AS visits FROM page_visit WITH NO DATA;
