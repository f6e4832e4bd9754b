"""What Celery can be rung for, and the kinds of long work there are."""

from __future__ import annotations

from celery import shared_task

from labeling.agreement.exporting import export_agreement
from labeling.agreement.keeping import measure_agreement
from labeling.annotation.rounds.planning import plan_round
from labeling.consensus.routing import route_votes
from labeling.consensus.summing import sum_up_cases
from labeling.corpus.indexing import index_items
from labeling.corpus.work import export_items, import_items
from labeling.jobs import running
from labeling.mining.collecting import mine, share_mining
from labeling.overview.exporting import export_activity
from labeling.overview.questionnaire.growing import grow_demo
from labeling.release.checking import check_release
from labeling.release.making import make_release
from labeling.release.receiving import bring_in
from labeling.study.blindness.working import attack_blinding
from labeling.study.results.exporting import work_export
from labeling.study.results.keeping import work_analyse

WORK: dict[str, running.Work] = {
    "import_items": import_items,
    "export_items": export_items,
    "index_items": index_items,
    "mine": mine,
    "share_mining": share_mining,
    "plan_round": plan_round,
    "measure_agreement": measure_agreement,
    "export_agreement": export_agreement,
    "route_votes": route_votes,
    "sum_up_cases": sum_up_cases,
    "check_release": check_release,
    "make_release": make_release,
    "import_release": bring_in,
    "attack_blinding": attack_blinding,
    "export_activity": export_activity,
    "analyse_study": work_analyse,
    "export_study": work_export,
    "grow_demo": grow_demo,
}


@shared_task
def run_job(job_id: int) -> None:
    running.run(job_id, WORK)
