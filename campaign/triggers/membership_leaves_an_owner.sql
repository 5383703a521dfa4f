-- Campaigns from before there were owners may have none: nothing but an owner's going is refused there.
IF OLD.role <> 'owner' AND coalesce(NEW.campaign_id, OLD.campaign_id) = OLD.campaign_id THEN
    RETURN NULL;
END IF;
FOREACH touched IN ARRAY ARRAY[OLD.campaign_id, NEW.campaign_id] LOOP
    -- Of two owners who go at once, the second waits here and then sees that the first is gone.
    PERFORM FROM campaign_campaign c WHERE c.id = touched FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM campaign_membership m WHERE m.campaign_id = touched)
        AND NOT EXISTS (
            SELECT FROM campaign_membership m WHERE m.campaign_id = touched AND m.role = 'owner'
        )
    THEN
        RAISE EXCEPTION 'campaign % has members and no owner', touched
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'membership_leaves_an_owner';
    END IF;
END LOOP;
RETURN NULL;
