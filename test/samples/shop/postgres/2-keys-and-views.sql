-- Record shop, PostgreSQL: foreign keys, indexes, and views that are translated in both directions. Runs after the rows.
ALTER TABLE musician ADD CONSTRAINT musician_alias_fk FOREIGN KEY (alias_of) REFERENCES musician;
ALTER TABLE record ADD CONSTRAINT record_label_fk FOREIGN KEY (label_no) REFERENCES label ON UPDATE CASCADE;
ALTER TABLE record_style ADD CONSTRAINT record_style_record_fk FOREIGN KEY (record_no) REFERENCES record ON DELETE CASCADE;
ALTER TABLE record_style ADD CONSTRAINT record_style_style_fk FOREIGN KEY (style_no) REFERENCES style;
ALTER TABLE track ADD CONSTRAINT track_record_fk FOREIGN KEY (record_no) REFERENCES record ON DELETE CASCADE;
ALTER TABLE performance ADD CONSTRAINT performance_track_fk FOREIGN KEY (record_no, side, "position") REFERENCES track ON DELETE CASCADE;
ALTER TABLE performance ADD CONSTRAINT performance_musician_fk FOREIGN KEY (musician_no) REFERENCES musician;
ALTER TABLE clerk ADD CONSTRAINT clerk_trainer_fk FOREIGN KEY (trained_by) REFERENCES clerk ON DELETE SET NULL;
ALTER TABLE customer ADD CONSTRAINT customer_clerk_fk FOREIGN KEY (served_by) REFERENCES clerk;
ALTER TABLE purchase ADD CONSTRAINT purchase_customer_fk FOREIGN KEY (customer_no) REFERENCES customer;
ALTER TABLE purchase_line ADD CONSTRAINT purchase_line_purchase_fk FOREIGN KEY (purchase_no) REFERENCES purchase ON DELETE CASCADE;
ALTER TABLE purchase_line ADD CONSTRAINT purchase_line_record_fk FOREIGN KEY (record_no) REFERENCES record;
ALTER TABLE waiting ADD CONSTRAINT waiting_customer_fk FOREIGN KEY (customer_no) REFERENCES customer ON DELETE CASCADE;
ALTER TABLE waiting ADD CONSTRAINT waiting_record_fk FOREIGN KEY (record_no) REFERENCES record;

CREATE INDEX musician_alias ON musician (alias_of);
CREATE INDEX record_label ON record (label_no);
CREATE INDEX record_issued ON record (issued, price);
CREATE INDEX record_style_style ON record_style (style_no);
CREATE INDEX performance_musician ON performance (musician_no);
CREATE INDEX clerk_trainer ON clerk (trained_by);
CREATE INDEX customer_clerk ON customer (served_by);
CREATE INDEX purchase_customer ON purchase (customer_no, made);
CREATE INDEX purchase_line_record ON purchase_line (record_no);

CREATE VIEW record_list AS
  SELECT r.record_no, r.title, l.name AS label, r.price * 2 AS twice
  FROM record r JOIN label l ON l.label_no = r.label_no;

CREATE VIEW customer_totals AS
  SELECT c.customer_no, count(p.purchase_no) AS purchases, sum(p.total) AS spent, max(p.made) AS latest
  FROM customer c LEFT JOIN purchase p ON p.customer_no = c.customer_no
  GROUP BY c.customer_no;

CREATE VIEW never_sold AS
  SELECT record_no FROM record WHERE NOT EXISTS (SELECT 1 FROM purchase_line p WHERE p.record_no = record.record_no);
