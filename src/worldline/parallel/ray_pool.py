"""Units of work sent to the nodes of a Ray cluster: the only place that knows Ray.

A unit is a task of one processor. A worker process hires its hand with the first unit and keeps it, so that boxes and
models stay on their node. Ray repeats the units of a node or a process that died, at most `RETRIES` times each; results
that are back stay. Every node that has processors is asked at the start for what `terms` requires, and a worker of a
node that comes later with its first unit: one that cannot have it stops the work, and is named.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from worldline.core.errors import UsageError, WorldlineError
from worldline.parallel.fingerprint import Terms, accept, here
from worldline.parallel.pool import AHEAD, Hand, flowing

RETRIES = 4
LOOKED = 1.0  # seconds between two looks at which nodes there are
PROBED = 120.0  # seconds that a node has to answer
AUTO = "auto"

_Unit = TypeVar("_Unit")
_Done = TypeVar("_Done")


def connect(address: str = AUTO, *, say: Callable[[str], None] | None = None) -> None:
    """Join a cluster; for `auto` the one that is there, else one that is begun on this machine, which is said."""
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
                f"there is no Ray cluster at {where}: give --ray the address that `ray start --head` printed, "
                "and put --ray alone last or before another option"
            ) from error
        ray.init(address="local", include_dashboard=False, **quiet)
        if say is not None:
            count = int(ray.cluster_resources().get("CPU", 0))
            say(f"no Ray cluster was found: one of {count} processors is begun on this machine")


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise UsageError("--ray needs Ray: pip install 'worldline[ray]'") from None
    return ray


@dataclass
class RayWorkshop:
    """The nodes of a cluster that `connect` has joined; `trust`: programs run there without a box."""

    trust: bool = False
    _terms: Terms = field(init=False)
    _task: Any = field(init=False)
    _done: int = field(default=0, init=False)
    _began: float = field(default_factory=time.monotonic, init=False)
    _seen: tuple[float, int, int] = field(default=(0.0, 0, 0), init=False)  # when, processors, nodes

    def __post_init__(self) -> None:
        self._terms = here(trust=self.trust)
        self._task = _ray().remote(num_cpus=1, max_retries=RETRIES)(_work)
        self._probe()

    def map(
        self, hire: Callable[[], Hand[_Unit, _Done]], units: Iterable[_Unit]
    ) -> Generator[tuple[int, _Done], None, None]:
        """What comes of each unit with its number."""
        ray = _ray()
        asked = [
            ray.put((self._terms, hire))
        ]  # in a list it is fetched by a worker that needs it, not with each unit
        mark = uuid.uuid4().hex
        flight: set[Any] = set()

        def submit(unit: _Unit) -> Any:
            handle = self._task.remote(mark, asked, unit)
            flight.add(handle)
            return handle

        try:
            for number, handle in flowing(units, submit, _finished, lambda: AHEAD * self._look()[0]):
                flight.discard(handle)
                done = _result(handle)
                self._done += 1
                yield number, done
        finally:
            for handle in flight:
                ray.cancel(handle, force=True)

    @property
    def summary(self) -> str:
        """Units a second so far, and the nodes there are."""
        rate = self._done / max(time.monotonic() - self._began, 1e-9)
        processors, nodes = self._look()
        some = "1 node" if nodes == 1 else f"{nodes:,} nodes"
        return f"{self._done:,} units, {rate:,.1f}/s, {some} of {processors:,} processors"

    def _look(self) -> tuple[int, int]:
        """How many processors there are, on how many nodes; 1 where there are none just now: units wait for a node."""
        when, processors, nodes = self._seen
        if time.monotonic() - when > LOOKED:
            found = [int(node["Resources"].get("CPU", 0)) for node in _nodes()]
            processors, nodes = max(sum(found), 1), len(found)
            self._seen = time.monotonic(), processors, nodes
        return processors, nodes

    def _probe(self) -> None:
        """Every node with processors is asked whether it can do the work; the first that cannot is told."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray, nodes = _ray(), _nodes()
        if not nodes:
            raise UsageError("no node of the Ray cluster has a processor: units would wait for ever")
        probe = ray.remote(num_cpus=0, max_retries=0)(_probed)
        asked = [
            probe.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ).remote(self._terms)
            for node in nodes
        ]
        try:
            found = ray.get(asked, timeout=PROBED)
        except ray.exceptions.RayError as error:
            raise WorldlineError(f"a node of the Ray cluster does not answer: {_line(error)}") from error
        for refusal in found:
            if refusal is not None:
                raise refusal


def workers(address: str = AUTO, *, say: Callable[[str], None] | None = None) -> RayWorkshop:
    """The nodes of the cluster at an address, joined."""
    connect(address, say=say)
    return RayWorkshop()


def _nodes() -> list[dict[str, Any]]:
    """The nodes that are alive and have a processor."""
    return [node for node in _ray().nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]


def _finished(flight: Collection[Any]) -> Iterable[Any]:
    """All that are done by now, at least one."""
    ray, every = _ray(), list(flight)
    done: list[Any] = ray.wait(every, num_returns=len(every), timeout=0)[0]
    return done or list(ray.wait(every, num_returns=1)[0])


def _result(handle: Any) -> Any:
    ray = _ray()
    try:
        refusal, done = ray.get(handle)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        raise WorldlineError(
            f"a unit was begun {RETRIES + 1} times and its worker died each time, or the cluster is gone: "
            + _line(error)
        ) from error
    if refusal is not None:
        raise refusal
    return done


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


_hired: tuple[str, Hand[Any, Any]] | None = None  # of this worker process, and for which work


def _work(mark: str, asked: list[Any], unit: Any) -> tuple[WorldlineError | None, Any]:
    """One unit, on a node: what comes of it, or an error that the tool explains."""
    global _hired
    try:
        if _hired is None or _hired[0] != mark:
            _dismiss()
            terms, hire = _ray().get(asked[0])
            accept(terms, _node())
            _hired = mark, hire()
        return None, _hired[1](unit)
    except WorldlineError as error:
        return error, None


def _dismiss() -> None:
    """The hand of this worker process goes, before another's terms are accepted."""
    global _hired
    if _hired is not None:
        _hired[1].close()
        _hired = None


def _probed(terms: Terms) -> WorldlineError | None:
    _dismiss()
    try:
        accept(terms, _node())
    except WorldlineError as error:
        return error
    return None


def _node() -> str:
    """This node, as `ray status` and `ray list nodes` name it."""
    ray = _ray()
    return f"{ray.util.get_node_ip_address()} ({ray.get_runtime_context().get_node_id()[:8]})"
