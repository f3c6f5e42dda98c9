"""A worker pool on the nodes of a Ray cluster. No other module imports Ray.

A unit is a Ray task that takes one CPU. A worker process creates its worker with the first unit and keeps it, so that
sandboxes and models stay on their node. Ray retries the units of a node or process that died, at most `MAX_RETRIES`
times each. Every node with CPUs must match the caller's fingerprint: at the start, or with its first unit if it joins
later. A node that does not match stops the work with an error that names it.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.text import plural
from worldline.parallel.fingerprint import EnvironmentFingerprint, accept, local_fingerprint
from worldline.parallel.pool import UNITS_IN_FLIGHT, Worker, flowing

MAX_RETRIES = 4
NODE_REFRESH_SECONDS = 1.0
PROBE_TIMEOUT_SECONDS = 120.0
AUTO = "auto"

_Unit = TypeVar("_Unit")
_Done = TypeVar("_Done")


def connect(address: str = AUTO, *, say: Callable[[str], None] | None = None) -> None:
    """Connect to a Ray cluster.

    Args:
        address: The address of a cluster, or `auto`: a running cluster, or else a new one on this machine.
        say: Called with a message if a cluster is started here.

    Raises:
        UsageError: There is no cluster at the address, or Ray is not installed.
    """
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray = _ray()
    if ray.is_initialized():
        return
    quiet: dict[str, Any] = {"logging_level": "error", "log_to_driver": False}
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError) as error:
        if address != AUTO or os.environ.get("RAY_ADDRESS"):
            where = os.environ.get("RAY_ADDRESS", address) if address == AUTO else address
            raise UsageError(
                f"There is no Ray cluster at {where}. Pass --ray the address that `ray start --head` printed, "
                "or --ray without an address as the last option."
            ) from error
        ray.init(address="local", include_dashboard=False, **quiet)
        if say is not None:
            count = int(ray.cluster_resources().get("CPU", 0))
            say(f"No Ray cluster found: started one with {count} CPUs on this machine.")


def join_ray(address: str = AUTO, *, trust: bool = False, say: Callable[[str], None] | None = None) -> RayPool:
    """Connect to a Ray cluster and return its nodes as a worker pool, as `--ray` does.

    Args:
        address: The address of a cluster, or `auto`: a running cluster, or else a new one on this machine.
        trust: Execute programs there without a sandbox.
        say: Called with a message if a cluster is started here.

    Returns:
        The pool, for the parameter `pool` of other functions.

    Raises:
        UsageError: There is no cluster at the address, or Ray is not installed.
    """
    connect(address, say=say)
    return RayPool(trust=trust)


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise UsageError("--ray needs Ray: pip install 'worldline[ray]'") from None
    return ray


@dataclass
class RayPool:
    """The nodes of the cluster that `connect` joined; `trust` executes programs there without a sandbox."""

    trust: bool = False
    _fingerprint: EnvironmentFingerprint = field(init=False)
    _task: Any = field(init=False)
    _done: int = field(default=0, init=False)
    _started: float = field(default_factory=time.monotonic, init=False)
    _last_size: tuple[float, int, int] = field(default=(0.0, 0, 0), init=False)  # time, CPUs, nodes

    def __post_init__(self) -> None:
        self._fingerprint = local_fingerprint(trust=self.trust)
        self._task = _ray().remote(num_cpus=1, max_retries=MAX_RETRIES)(_work)
        self._probe()

    def map(
        self, start_worker: Callable[[], Worker[_Unit, _Done]], units: Iterable[_Unit]
    ) -> Generator[tuple[int, _Done], None, None]:
        """Process units in parallel; see `WorkerPool.map`."""
        ray = _ray()
        # Inside a list, the object is fetched by a worker that needs it and not with each unit.
        setup = [ray.put((self._fingerprint, start_worker))]
        job = uuid.uuid4().hex
        in_flight: set[Any] = set()

        def submit(unit: _Unit) -> Any:
            handle = self._task.remote(job, setup, unit)
            in_flight.add(handle)
            return handle

        try:
            for number, handle in flowing(units, submit, _finished, lambda: UNITS_IN_FLIGHT * self._cluster_size()[0]):
                in_flight.discard(handle)
                result = _result(handle)
                self._done += 1
                yield number, result
        finally:
            for handle in in_flight:
                ray.cancel(handle, force=True)

    @property
    def summary(self) -> str:
        """Units finished, units per second, and the size of the cluster."""
        rate = self._done / max(time.monotonic() - self._started, 1e-9)
        cpus, nodes = self._cluster_size()
        return f"{self._done:,} units, {rate:,.1f}/s, {plural(nodes, 'node')}, {plural(cpus, 'CPU')}"

    def _cluster_size(self) -> tuple[int, int]:
        """CPUs and nodes of the cluster; at least one CPU, so that units wait for a node to join."""
        when, cpus, nodes = self._last_size
        if time.monotonic() - when > NODE_REFRESH_SECONDS:
            per_node = [int(node["Resources"].get("CPU", 0)) for node in _nodes()]
            cpus, nodes = max(sum(per_node), 1), len(per_node)
            self._last_size = time.monotonic(), cpus, nodes
        return cpus, nodes

    def _probe(self) -> None:
        """Ask every node with CPUs whether it matches; raise the error of the first that does not."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray, nodes = _ray(), _nodes()
        if not nodes:
            raise UsageError("No node of the Ray cluster has a CPU. Start a node with --num-cpus.")
        # A probe may get a process that an earlier job is still killing: Ray then repeats it in another one.
        probe = ray.remote(num_cpus=0, max_retries=MAX_RETRIES)(_probed)
        answers = [
            probe.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
                self._fingerprint
            )
            for node in nodes
        ]
        try:
            refusals = ray.get(answers, timeout=PROBE_TIMEOUT_SECONDS)
        except ray.exceptions.RayError as error:
            raise WorldlineError(f"A node of the Ray cluster does not answer: {_first_line(error)}") from error
        for refusal in refusals:
            if refusal is not None:
                raise refusal


def _nodes() -> list[dict[str, Any]]:
    """The nodes that are alive and have a CPU."""
    return [node for node in _ray().nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]


def _finished(in_flight: Collection[Any]) -> Iterable[Any]:
    """Wait for at least one handle, and return all that are done."""
    ray, handles = _ray(), list(in_flight)
    done: list[Any] = ray.wait(handles, num_returns=len(handles), timeout=0)[0]
    return done or list(ray.wait(handles, num_returns=1)[0])


def _result(handle: Any) -> Any:
    ray = _ray()
    try:
        refusal, result = ray.get(handle)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        raise WorldlineError(
            f"A worker died in each of {MAX_RETRIES + 1} attempts at a unit, or the cluster is gone: "
            + _first_line(error)
        ) from error
    if refusal is not None:
        raise refusal
    return result


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


# The job and worker of this process.
_current: tuple[str, Worker[Any, Any]] | None = None


def _work(job: str, setup: list[Any], unit: Any) -> tuple[WorldlineError | None, Any]:
    """Process one unit on a node: an error that the tool explains, or the result."""
    global _current
    try:
        if _current is None or _current[0] != job:
            _close_worker()
            fingerprint, start_worker = _ray().get(setup[0])
            accept(fingerprint, _node())
            _current = job, start_worker()
        return None, _current[1](unit)
    except WorldlineError as error:
        return error, None


def _close_worker() -> None:
    """Close the worker of this process, before another fingerprint is accepted."""
    global _current
    if _current is not None:
        _current[1].close()
        _current = None


def _probed(fingerprint: EnvironmentFingerprint) -> WorldlineError | None:
    _close_worker()
    try:
        accept(fingerprint, _node())
    except WorldlineError as error:
        return error
    return None


def _node() -> str:
    """The name of this node as in `ray status` and `ray list nodes`."""
    ray = _ray()
    return f"{ray.util.get_node_ip_address()} ({ray.get_runtime_context().get_node_id()[:8]})"
