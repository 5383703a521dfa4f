"""The campaign of rows that lead to it by others, for the triggers of the activity log."""

from typing import Final

#: The campaign of a row that has a test set.
OF_TEST_SET: Final = "(SELECT campaign_id FROM campaign_testset WHERE id = {row}.test_set_id)"
#: The campaign of a row that has a judge.
OF_JUDGE: Final = "(SELECT campaign_id FROM campaign_judge WHERE id = {row}.judge_id)"
