import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    """Candidates have no rows any more: blocks say themselves what they show, and triggers hold it."""

    dependencies = [
        ("annotation", "0010_outputs_filled"),
        ("campaign", "0008_terms_and_declining"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="candidate",
            name="outputs",
        ),
        migrations.DeleteModel(
            name="CandidateOutput",
        ),
        migrations.DeleteModel(
            name="Candidate",
        ),
        migrations.CreateModel(
            name="ShownOutput",
            fields=[],
            options={
                "verbose_name": "output shown in blocks",
                "verbose_name_plural": "outputs shown in blocks",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("campaign.output",),
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="assignment",
            name="assignment_writes_the_blocks_of_its_hit",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="judgment",
            name="judgment_fits_its_block",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="assignment",
            trigger=pgtrigger.compiler.Trigger(
                name="assignment_writes_the_blocks_of_its_hit",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE lent RECORD; scans TEXT;",
                    func="scans := current_setting('enable_seqscan');\nPERFORM set_config('enable_seqscan', 'off', true);\nIF NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = NEW.hit_id) THEN\n    PERFORM \n    set_config(\n        'pgtrigger.ignore',\n        coalesce(nullif(current_setting('pgtrigger.ignore', true), ''), '{}'),\n        true\n    )\n;\n    SELECT h.plan INTO lent\n    FROM annotation_hit h WHERE h.id = NEW.hit_id FOR NO KEY UPDATE;\n    IF NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = NEW.hit_id) THEN\n        IF lent.plan IS NULL OR lent.plan = '[]' THEN\n            RAISE EXCEPTION 'HIT % is lent and has no blocks', NEW.hit_id\n                USING ERRCODE = 'check_violation',\n                      CONSTRAINT = 'assignment_of_a_hit_with_blocks';\n        END IF;\n        \n    WITH written AS (\n        INSERT INTO annotation_block\n            (hit_id, segment_id, position, outputs, stands_for, control, expected)\n        SELECT h.id, h.segment_ids[each.place], each.place,\n            ARRAY(SELECT jsonb_path_query(each.shown, 'strict $.candidates[*][*]')::bigint),\n            CASE WHEN each.shown @? 'strict $.candidates[*] ? (@.size() != 1)' THEN ARRAY(\n                SELECT jsonb_path_query(each.shown, 'strict $.candidates[*].size()')::smallint\n            ) END,\n            CASE WHEN each.shown ? 'expected' THEN 'attention' ELSE '' END,\n            CASE WHEN each.shown ? 'expected' THEN ARRAY(\n                SELECT jsonb_array_elements_text(each.shown -> 'expected')::smallint\n            ) END\n        FROM annotation_hit h, jsonb_array_elements(h.plan) WITH ORDINALITY AS each (shown, place)\n        WHERE h.id = NEW.hit_id\n    )\n    UPDATE annotation_hit h SET plan = NULL WHERE h.id = NEW.hit_id\n;\n    END IF;\nEND IF;\nPERFORM set_config('enable_seqscan', scans, true);\nRETURN NULL;\n",
                    hash="243d47fe2fbecebe8f4400023e5ea35c97a2e5c2",
                    operation="INSERT",
                    pgid="pgtrigger_assignment_writes_the_blocks_of_its_hit_55b54",
                    table="annotation_assignment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="block",
            trigger=pgtrigger.compiler.Trigger(
                name="candidate_output_of_the_same_segment",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE wrong RECORD; scans TEXT;",
                    func="scans := current_setting('enable_seqscan');\nPERFORM set_config('enable_seqscan', 'off', true);\n-- Whoever deletes an output waits for this lock: `output_stays_while_shown`.\nPERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = n.segment_id FOR KEY SHARE)\nFROM new_rows n;\nSELECT each.*, each.of_segment < each.different AS is_strange INTO wrong FROM (\n    SELECT n.public_id, n.outputs,\n        cardinality(n.outputs) AS shown,\n        (SELECT count(DISTINCT output) FROM unnest(n.outputs) output) AS different,\n        (\n            SELECT count(*) FROM campaign_output o\n            WHERE o.id = ANY (n.outputs) AND o.segment_id = n.segment_id\n        ) AS of_segment,\n        n.stands_for IS NULL OR 0 < ALL (n.stands_for) AND cardinality(n.outputs) = (\n            SELECT coalesce(sum(outputs), 0) FROM unnest(n.stands_for) outputs\n        ) AS adds_up\n    FROM new_rows n\n) each\nWHERE each.of_segment < each.shown OR NOT each.adds_up\nORDER BY is_strange DESC, each.adds_up DESC LIMIT 1;\nPERFORM set_config('enable_seqscan', scans, true);\nIF wrong.is_strange THEN\n    RAISE EXCEPTION 'one of the outputs % is not of the segment of block %',\n        wrong.outputs, wrong.public_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'candidate_output_of_the_same_segment';\nEND IF;\nIF wrong.different < wrong.shown THEN\n    RAISE EXCEPTION 'one of the outputs % stands twice in block %',\n        wrong.outputs, wrong.public_id\n        USING ERRCODE = 'unique_violation',\n              CONSTRAINT = 'candidate_output_once_in_block';\nEND IF;\nIF NOT wrong.adds_up THEN\n    RAISE EXCEPTION 'the outputs of the candidates of block % do not add up to %',\n        wrong.public_id, wrong.shown\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'candidate_stands_for_an_output';\nEND IF;\nRETURN NULL;\n",
                    hash="df41f7b4a23db52443ef915e969f4b2e7d76c1e2",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_candidate_output_of_the_same_segment_b2513",
                    referencing="REFERENCING NEW TABLE AS new_rows ",
                    table="annotation_block",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="block",
            trigger=pgtrigger.compiler.Trigger(
                name="candidate_output_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."outputs" IS DISTINCT FROM (NEW."outputs") OR OLD."segment_id" IS DISTINCT FROM (NEW."segment_id") OR OLD."stands_for" IS DISTINCT FROM (NEW."stands_for"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="c4c3bb3902aeb2e18bc8c7d3a433edd722b4c2c6",
                    operation="UPDATE",
                    pgid="pgtrigger_candidate_output_stays_a4891",
                    table="annotation_block",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="judgment",
            trigger=pgtrigger.compiler.Trigger(
                name="judgment_fits_its_block",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE own_hit BIGINT; own_test_set BIGINT; shown INTEGER;",
                    func="SELECT b.hit_id, cardinality(coalesce(b.stands_for, b.outputs)) INTO own_hit, shown\nFROM annotation_block b WHERE b.id = NEW.block_id;\nSELECT h.test_set_id INTO own_test_set\nFROM annotation_hit h WHERE h.id = own_hit;\nIF own_test_set <> NEW.test_set_id THEN\n    RAISE EXCEPTION 'block % is not of test set %',\n        NEW.block_id, NEW.test_set_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_of_its_test_set';\nEND IF;\nIF cardinality(NEW.labels) <> shown THEN\n    RAISE EXCEPTION '% labels for % candidates of block %',\n        cardinality(NEW.labels), shown, NEW.block_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_labels_aligned_with_candidates';\nEND IF;\nIF NEW.supersedes_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM annotation_judgment j\n    WHERE j.id = NEW.supersedes_id\n        AND j.judge_id = NEW.judge_id AND j.block_id = NEW.block_id\n        AND j.id < NEW.id\n) THEN\n    RAISE EXCEPTION\n        'judgment % supersedes one of another judge, block or time', NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_supersedes_its_own_kind';\nEND IF;\nRETURN NEW;\n",
                    hash="6ecb28af14e6b55e2a4a2fb5483d61f228f9f89e",
                    operation="INSERT",
                    pgid="pgtrigger_judgment_fits_its_block_05c49",
                    table="annotation_judgment",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="shownoutput",
            trigger=pgtrigger.compiler.Trigger(
                name="output_stays_while_shown",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE shown BIGINT;",
                    func="-- Blocks that are being written hold this lock shared until they are committed.\nPERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = o.segment_id FOR UPDATE)\nFROM (SELECT DISTINCT segment_id FROM old_rows ORDER BY segment_id) o;\nSELECT o.id INTO shown\nFROM old_rows o\nWHERE EXISTS (\n    SELECT FROM annotation_block b\n    WHERE b.segment_id = o.segment_id AND o.id = ANY (b.outputs)\n)\nLIMIT 1;\nIF shown IS NOT NULL THEN\n    RAISE EXCEPTION 'output % is shown in a block', shown\n        USING ERRCODE = 'foreign_key_violation',\n              CONSTRAINT = 'output_stays_while_shown';\nEND IF;\nRETURN NULL;\n",
                    hash="20c72b165a47b43bf49cbb094e815562892e4401",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_output_stays_while_shown_f2fa7",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="campaign_output",
                    when="AFTER",
                ),
            ),
        ),
    ]
