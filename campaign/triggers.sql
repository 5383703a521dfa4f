-- trigger acceptance_within_a_campaign
IF NOT EXISTS (
    SELECT FROM campaign_judge j
    JOIN campaign_instructions i ON i.campaign_id = j.campaign_id
    WHERE j.id = NEW.judge_id AND i.id = NEW.instructions_id
) THEN
    RAISE EXCEPTION 'judge % and instructions % belong to different campaigns',
        NEW.judge_id, NEW.instructions_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'acceptance_within_a_campaign';
END IF;
RETURN NEW;

-- trigger activity_event_changes_only_by_erasure
IF EXISTS (
    SELECT FROM campaign_erasurerequest
    WHERE withdrawn_at IS NULL AND refused_at IS NULL AND carried_out_at IS NULL
)
    -- Only these columns may change, and only lose what is in them.
    AND to_jsonb(NEW) - '{changes,object_name,user_id}'::text[]
        = to_jsonb(OLD) - '{changes,object_name,user_id}'::text[]
    AND NOT EXISTS (
        SELECT * FROM jsonb_each(NEW.changes) EXCEPT SELECT * FROM jsonb_each(OLD.changes)
    )
    AND NEW.object_name IN ('', OLD.object_name)
    AND (NEW.user_id IS NULL OR NEW.user_id = OLD.user_id)
THEN
    RETURN NEW;
END IF;
RAISE EXCEPTION 'Cannot update %: it only loses personal data, while an erasure request is open',
    TG_TABLE_NAME;

-- trigger conflict_within_a_campaign
IF NOT EXISTS (
    SELECT FROM campaign_judge j
    JOIN campaign_testset t ON t.campaign_id = j.campaign_id
    JOIN campaign_system s ON s.test_set_id = t.id
    WHERE j.id = NEW.judge_id AND s.id = NEW.system_id
) THEN
    RAISE EXCEPTION 'judge % and system % belong to different campaigns',
        NEW.judge_id, NEW.system_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'conflict_within_a_campaign';
END IF;
RETURN NEW;

-- trigger group_member_within_a_campaign
IF NOT EXISTS (
    SELECT FROM campaign_judge j
    JOIN campaign_judgegroup g ON g.campaign_id = j.campaign_id
    WHERE j.id = NEW.judge_id AND g.id = NEW.group_id AND g.removed_at IS NULL
) THEN
    RAISE EXCEPTION 'judge % and group % belong to different campaigns, or the group was deleted',
        NEW.judge_id, NEW.group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'group_member_within_a_campaign';
END IF;
RETURN NEW;

-- trigger judge_counted_on_invitation
UPDATE campaign_invitation i SET arrived = arrived + 1
WHERE i.id = NEW.joined_by_id AND i.user_id IS NULL AND i.campaign_id = NEW.campaign_id;
IF NOT FOUND THEN
    RAISE EXCEPTION 'invitation % cannot be used to create judge %', NEW.joined_by_id, NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judge_invitation_of_its_campaign';
END IF;
RETURN NEW;

-- trigger membership_leaves_an_owner
-- Only removing an owner is checked.
IF OLD.role <> 'owner' AND coalesce(NEW.campaign_id, OLD.campaign_id) = OLD.campaign_id THEN
    RETURN NULL;
END IF;
FOREACH changed_campaign IN ARRAY ARRAY[OLD.campaign_id, NEW.campaign_id] LOOP
    -- If two owners leave at once, the second transaction waits here until the first has committed.
    PERFORM FROM campaign_campaign c WHERE c.id = changed_campaign FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM campaign_membership m WHERE m.campaign_id = changed_campaign)
        AND NOT EXISTS (
            SELECT FROM campaign_membership m WHERE m.campaign_id = changed_campaign AND m.role = 'owner'
        )
    THEN
        RAISE EXCEPTION 'campaign % has members but no owner', changed_campaign
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'membership_leaves_an_owner';
    END IF;
END LOOP;
RETURN NULL;

-- trigger output_of_approved_bad_reference_immutable
IF EXISTS (
    SELECT FROM campaign_badreference b
    WHERE b.output_id = NEW.id AND b.approved_at IS NOT NULL
) THEN
    RAISE EXCEPTION 'output % of an approved damaged reference cannot change: judges may have seen it', NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'output_of_approved_bad_reference_immutable';
END IF;
RETURN NEW;
