IF EXISTS (
    SELECT FROM campaign_badreference b
    WHERE b.output_id = NEW.id AND b.approved_at IS NOT NULL
) THEN
    RAISE EXCEPTION 'output % may have been shown to judges', NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'output_of_an_approved_bad_reference_stays';
END IF;
RETURN NEW;
