-- Record shop, MySQL and MariaDB: views that are translated in both directions.
SET SESSION foreign_key_checks = 1;

CREATE VIEW record_list AS
  SELECT r.record_no, r.title, l.name AS label, r.price * 2 AS twice
  FROM record r JOIN label l ON l.label_no = r.label_no;

CREATE VIEW customer_totals AS
  SELECT c.customer_no, COUNT(p.purchase_no) AS purchases, SUM(p.total) AS spent, MAX(p.made) AS latest
  FROM customer c LEFT JOIN purchase p ON p.customer_no = c.customer_no
  GROUP BY c.customer_no;

CREATE VIEW never_sold AS
  SELECT record_no FROM record WHERE NOT EXISTS (SELECT 1 FROM purchase_line p WHERE p.record_no = record.record_no);
