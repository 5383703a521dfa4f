"""The handler of jobs that compute analyses of test sets and tables of campaigns."""

from typing import Any

from campaign.models import Job, JobKind
from campaign.services.jobs import JobProgress, handles
from ranking.services.analyses import AnalysisRefusedError, analysis_job
from ranking.services.campaign_tables import table_job


@handles(JobKind.ANALYSIS, AnalysisRefusedError)
def _compute(job: Job, progress: JobProgress) -> dict[str, Any]:
    do = table_job if "table" in job.parameters else analysis_job
    return do(job, progress)
