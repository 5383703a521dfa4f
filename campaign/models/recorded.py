"""The campaign of rows that lead to it by others, for the triggers of the activity log."""

from typing import Final

#: The campaign of a row that has a test set.
OF_TEST_SET: Final = "(SELECT campaign_id FROM campaign_testset WHERE id = {row}.test_set_id)"
#: The test set of a row that has a task, and its campaign.
TEST_SET_OF_TASK: Final = "(SELECT test_set_id FROM campaign_task WHERE id = {row}.task_id)"
OF_TASK: Final = (
    "(SELECT t.campaign_id FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id"
    " WHERE k.id = {row}.task_id)"
)
#: The campaign of a row that has a judge.
OF_JUDGE: Final = "(SELECT campaign_id FROM campaign_judge WHERE id = {row}.judge_id)"
