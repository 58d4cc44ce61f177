-- Film rental, PostgreSQL: routines, triggers, a rule, a policy, grants. Runs after the rows.
CREATE FUNCTION is_in(disc integer) RETURNS boolean LANGUAGE sql STABLE
  RETURN NOT EXISTS (SELECT FROM loan WHERE loan.disc_no = disc AND returned IS NULL);

CREATE FUNCTION debt_of(who integer) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
  owed numeric;
  paid numeric;
BEGIN
  SELECT coalesce(sum(f.price), 0) INTO owed FROM loan JOIN disc USING (disc_no) JOIN film f USING (film_no) WHERE member_no = who;
  SELECT coalesce(sum(amount), 0) INTO paid FROM payment WHERE member_no = who;
  RETURN owed - paid;
END $$;
COMMENT ON FUNCTION debt_of IS 'Prices of what was taken, less what was paid';

CREATE FUNCTION discs_in(film integer, branch integer, OUT disc_no integer) RETURNS SETOF integer LANGUAGE sql STABLE
  AS 'SELECT d.disc_no FROM disc d WHERE d.film_no = film AND d.branch_no = branch AND is_in(d.disc_no)';

CREATE FUNCTION joined_by(so_far text, word text) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT CASE WHEN so_far IS NULL THEN word ELSE so_far || ', ' || word END $$;
CREATE AGGREGATE joined(text) (SFUNC = joined_by, STYPE = text);

CREATE PROCEDURE forget_visits(longer_than double precision DEFAULT 1000) LANGUAGE sql
  AS 'DELETE FROM page_visit WHERE took > longer_than';

CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed = now();
  RETURN NEW;
END $$;
CREATE TRIGGER film_touched BEFORE UPDATE ON film FOR EACH ROW EXECUTE FUNCTION touched();
CREATE TRIGGER person_touched BEFORE UPDATE ON person FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touched();
CREATE TRIGGER film_words_kept BEFORE INSERT OR UPDATE OF title, plot ON film FOR EACH ROW
  EXECUTE FUNCTION tsvector_update_trigger('words', 'pg_catalog.english', 'title', 'plot');

CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE member SET seen = NEW.taken WHERE member_no = NEW.member_no;
  RETURN NULL;
END $$;
CREATE TRIGGER loan_seen AFTER INSERT ON loan FOR EACH ROW EXECUTE FUNCTION seen();
ALTER TABLE loan DISABLE TRIGGER loan_seen;

CREATE RULE notices_stay AS ON DELETE TO archive.notice DO INSTEAD NOTHING;

ALTER TABLE archive.fine ENABLE ROW LEVEL SECURITY;
CREATE POLICY small_fines ON archive.fine FOR SELECT USING (cents < 1000);
GRANT SELECT ON genre TO PUBLIC;
