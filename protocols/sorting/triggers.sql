-- trigger sorting_verdict_is_of_its_sort
SELECT s.systems, s.task_id INTO asked FROM sorting_systemsort s WHERE s.id = NEW.sort_id;
IF NOT ARRAY[NEW.winner, NEW.loser]::text[] <@ asked.systems::text[] THEN
    RAISE EXCEPTION '% : % is no comparison of sort %', NEW.winner, NEW.loser, NEW.sort_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'sorting_verdict_is_of_its_sort';
END IF;
-- What it was computed from is there, and nobody has seen less.
SELECT count(*) INTO found FROM annotation_judgmentnumber n
WHERE n.task_id = asked.task_id AND n.number = ANY (NEW.judgments) AND n.number <= NEW.watermark;
IF found <> cardinality(NEW.judgments) THEN
    RAISE EXCEPTION 'a verdict of sort % names judgments that its task does not have up to %', NEW.sort_id, NEW.watermark
        USING ERRCODE = 'check_violation', CONSTRAINT = 'sorting_verdict_from_its_judgments';
END IF;
RETURN NEW;
