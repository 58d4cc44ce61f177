-- Film rental, MySQL and MariaDB: triggers, routines and an event. Runs after the rows, so that no trigger adds rows.
SET SESSION foreign_key_checks = 1;

INSERT INTO film_search SELECT film_no, title, plot FROM film;

-- Not a real date: the server stores it because the session is not in strict mode.
UPDATE employee SET hired = '0000-00-00' WHERE employee_no = 5;

DELIMITER $$

CREATE TRIGGER film_search_new AFTER INSERT ON film FOR EACH ROW
  INSERT INTO film_search (film_no, title, plot) VALUES (NEW.film_no, NEW.title, NEW.plot)$$

CREATE TRIGGER film_search_changed AFTER UPDATE ON film FOR EACH ROW
BEGIN
  IF NOT (OLD.title <=> NEW.title AND OLD.plot <=> NEW.plot) THEN
    UPDATE film_search SET title = NEW.title, plot = NEW.plot WHERE film_no = OLD.film_no;
  END IF;
END$$

CREATE TRIGGER film_search_gone AFTER DELETE ON film FOR EACH ROW
  DELETE FROM film_search WHERE film_no = OLD.film_no$$

CREATE TRIGGER loan_begins BEFORE INSERT ON loan FOR EACH ROW
BEGIN
  IF NEW.taken IS NULL THEN
    SET NEW.taken = NOW(3);
  END IF;
END$$

CREATE TRIGGER loan_seen BEFORE INSERT ON loan FOR EACH ROW FOLLOWS loan_begins
  UPDATE member SET seen = NEW.taken WHERE member_no = NEW.member_no$$

CREATE FUNCTION debt_of(who INT) RETURNS DECIMAL(9,2)
  READS SQL DATA
  COMMENT 'Prices of what was taken, less what was paid'
BEGIN
  DECLARE owed, paid DECIMAL(9,2);
  SELECT COALESCE(SUM(f.price), 0) INTO owed
    FROM loan l JOIN disc d ON d.disc_no = l.disc_no JOIN film f ON f.film_no = d.film_no WHERE l.member_no = who;
  SELECT COALESCE(SUM(p.amount), 0) INTO paid FROM payment p WHERE p.member_no = who;
  RETURN owed - paid;
END$$

CREATE FUNCTION is_in(disc INT) RETURNS BOOLEAN
  READS SQL DATA
  RETURN NOT EXISTS (SELECT 1 FROM loan WHERE disc_no = disc AND returned IS NULL)$$

CREATE PROCEDURE discs_in(IN film INT, IN branch INT, OUT many INT)
  READS SQL DATA
BEGIN
  SELECT disc_no FROM disc WHERE film_no = film AND branch_no = branch AND is_in(disc_no);
  SELECT COUNT(*) INTO many FROM disc WHERE film_no = film AND branch_no = branch AND is_in(disc_no);
END$$

CREATE PROCEDURE loyal_members(IN at_least INT, INOUT found INT)
  SQL SECURITY INVOKER
  COMMENT 'Counts them; it''s slow'
BEGIN
  DECLARE done BOOLEAN DEFAULT FALSE;
  DECLARE many INT;
  DECLARE each_member CURSOR FOR SELECT COUNT(*) FROM loan GROUP BY member_no;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = TRUE;
  SET found = 0;
  OPEN each_member;
  counting: LOOP
    FETCH each_member INTO many;
    IF done THEN
      LEAVE counting;
    END IF;
    IF many >= at_least THEN
      SET found = found + 1;
    END IF;
  END LOOP;
  CLOSE each_member;
END$$

CREATE EVENT forget_visits ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 03:00:00' DISABLE
  DO DELETE FROM page_visit WHERE took > 1000$$

DELIMITER ;
