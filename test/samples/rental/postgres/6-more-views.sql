-- Film rental, PostgreSQL: views that are not translated for MySQL and MariaDB, one of each kind. The report gives text and reason.

CREATE VIEW film_list AS
  SELECT f.film_no, f.title, joined(p.name) AS people
  FROM film f JOIN credit c USING (film_no) JOIN person p USING (person_no) GROUP BY f.film_no;

CREATE VIEW people_in_line AS
  SELECT film_no, string_agg(p.name, ', ' ORDER BY p.person_no) AS people FROM credit JOIN person p USING (person_no) GROUP BY film_no;

CREATE VIEW mean_price AS SELECT from_age, avg(day_price) AS mean FROM film GROUP BY from_age;

CREATE VIEW shouted_titles AS SELECT film_no, upper(title) AS title FROM film;

CREATE VIEW numbered_titles AS SELECT film_no FROM film WHERE title ~ '[0-9]$';

CREATE VIEW several_ranks AS
  SELECT film_no, rank() OVER (PARTITION BY from_age ORDER BY minutes DESC) AS place, dense_rank() OVER (ORDER BY day_price NULLS FIRST) AS dense,
    sum(minutes) OVER (PARTITION BY from_age ORDER BY film_no) AS so_far
  FROM film;

CREATE VIEW one_of_each AS SELECT DISTINCT ON (from_age) from_age, film_no FROM film ORDER BY from_age, minutes DESC, film_no;

CREATE VIEW matched AS SELECT e.employee_no, b.branch_no FROM employee e FULL JOIN branch b ON b.chief = e.employee_no;

CREATE VIEW two_latest AS
  SELECT m.member_no, l.loan_no FROM member m, LATERAL (SELECT loan_no FROM loan WHERE member_no = m.member_no ORDER BY taken DESC LIMIT 2) l;

CREATE VIEW chain_of_bosses AS
  WITH RECURSIVE chain AS (
    SELECT employee_no, boss, 1 AS depth FROM employee WHERE boss IS NULL
    UNION ALL
    SELECT e.employee_no, e.boss, c.depth + 1 FROM employee e JOIN chain c ON c.employee_no = e.boss
  )
  SELECT * FROM chain;

CREATE VIEW depths AS SELECT depth, count(*) AS many FROM chain_of_bosses GROUP BY depth;

CREATE VIEW debts AS SELECT member_no, debt_of(member_no) AS debt FROM member;

CREATE VIEW found_films AS SELECT film_no FROM film WHERE words @@ to_tsquery('english', 'lantern');

CREATE VIEW wished_genres AS SELECT member_no, wishes ->> 'genre' AS genre FROM member;

CREATE VIEW skilled AS SELECT employee_no FROM employee WHERE skills @> ARRAY['repair'];

CREATE VIEW lately AS SELECT loan_no FROM loan WHERE taken > now() - interval '1 week';

CREATE VIEW after_m AS SELECT person_no FROM person WHERE name > 'M';

CREATE VIEW archive.all_notices AS SELECT id, words FROM archive.notice;
