UPDATE campaign_invitation i SET arrived = arrived + 1
FROM campaign_judge j
WHERE i.id = NEW.invitation_id AND i.user_id IS NULL
  AND j.id = NEW.judge_id AND j.campaign_id = i.campaign_id;
IF NOT FOUND THEN
    RAISE EXCEPTION 'invitation % brings nobody in as judge %',
        NEW.invitation_id, NEW.judge_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'link_redemption_by_a_link_of_the_campaign';
END IF;
RETURN NEW;
