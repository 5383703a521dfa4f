"""The trigger that writes the blocks of a HIT when it is lent, unless the worker wrote them ahead."""

import pgtrigger

from annotation.sql.hit_blocks_write import BLOCKS_OF_PLANS
from campaign.database.copy import IGNORED_TRIGGERS_SET
from campaign.database.triggers import trigger_from_file

# In the database, so that no HIT is ever lent without its blocks, whoever lends it, and none gets
# them twice.
#
# `pgtrigger.ignore` is set until the transaction ends, to what it was or to nothing: the triggers of
# what is written ask for it and catch the error where it is not set, which costs more than what they
# look up. `enable_seqscan` is off for what is planned in here: a connection keeps the plans of
# foreign keys and triggers, and made while the tables are small, they would read them whole for every
# row; after five hundred HITs a lending would take ten times as long, until autovacuum has been there.
BLOCKS_WRITE = trigger_from_file(
    "annotation",
    "assignment_writes_the_blocks_of_its_hit",
    parts={
        "ignored_triggers_set": IGNORED_TRIGGERS_SET,
        "blocks_of_plans": BLOCKS_OF_PLANS.format(hits="h.id = NEW.hit_id"),
    },
    operation=pgtrigger.Insert,
    when=pgtrigger.After,
    declare=[("lent", "RECORD")],
)
