"""Dask engine: a local cluster, or an existing one by its scheduler's address.

If a worker dies, Dask computes its shard on another one, and restarts the workers of a local
cluster. Dask is installed by the extra `dask`; workers need Quintet's code, too.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from optional_packages import how_to_install
from ranking.core.sharding import EngineError
from version import code_version

if TYPE_CHECKING:
    from distributed import Client


class DaskEngine:
    """Compute shards on the workers of a Dask cluster."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def workers(self) -> int:
        """Number of shards computed at the same time."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def compute(
        self,
        work: Callable[[Any], Any],
        shards: Sequence[Any],
    ) -> Generator[tuple[int, Any], None, None]:
        """Yield each shard's number and result as they are ready; see `Engine`.

        Raises
        ------
        EngineError
            If workers run another version, or die repeatedly.
        """
        from dask import config
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        # A separate task, so that workers that join or return later also get the data shared by all
        # shards.
        with config.set({"distributed.admin.large-graph-warning-threshold": "2GiB"}):
            shared = self._client.submit(_identity_function, work, pure=False)
        futures = self._client.map(
            _compute_shard,
            shards,
            work=shared,
            version=code_version(),
            pure=False,
        )
        numbers = {future.key: number for number, future in enumerate(futures)}
        try:
            for future, result in as_completed(futures, with_results=True):
                yield numbers[future.key], result
                future.release()
        except KilledWorker as error:
            raise EngineError(
                f"workers of the cluster ended again and again: {error}",
            ) from error
        finally:
            self._client.cancel([*futures, shared])


@contextmanager
def dask_engine(*, scheduler: str | None, workers: int) -> Iterator[DaskEngine]:
    """Connect to a cluster for the duration of a block.

    Parameters
    ----------
    scheduler : str or None
        Its address, such as ``tcp://10.0.0.5:8786``. If there is none, nor one in Dask's own
        configuration (``DASK_SCHEDULER_ADDRESS``), a local cluster is started and stopped.
    workers : int
        Number of processes of a local cluster.

    Raises
    ------
    EngineError
        If Dask is not installed, the scheduler does not answer, or Quintet is missing or has another
        version on the scheduler or a worker.
    """
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise EngineError(f"Dask is not installed. {how_to_install('dask')}") from error
    address = scheduler or config.get("scheduler-address", None)
    if address is None:
        # Serve Dask's dashboard on any free local port, so that several clusters can run at once.
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
            ) as cluster,
            Client(cluster) as client,
        ):
            yield DaskEngine(client)
        return
    try:
        client = Client(address)
    except OSError as error:
        raise EngineError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        _refuse_other_code(client)
        yield DaskEngine(client)


def _refuse_other_code(client: Client) -> None:
    try:
        versions = {"the scheduler": client.run_on_scheduler(code_version)}
    except ImportError as error:
        versions = {"the scheduler": error}
    # A worker that cannot answer returns the reason.
    versions |= client.run(code_version, on_error="return")
    for process, version in versions.items():
        if version != code_version():
            raise EngineError(_other_version(process, version, expected=code_version()))


def _other_version(process: str, version: object, *, expected: str) -> str:
    return (
        f"{process} runs another version of Quintet than this command ({version} instead of {expected}): start the "
        "scheduler and all workers in a folder of the same version, with PYTHONPATH=."
    )


def _identity_function(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return work


def _compute_shard(shard: Any, *, work: Callable[[Any], Any], version: str) -> Any:
    if version != code_version():
        raise EngineError(_other_version("a worker", code_version(), expected=version))
    return work(shard)
