"""A crew on a Dask cluster. Importing this needs `distributed`, so nobody does unless asked.

A model goes to a worker once, by its digest, and from there to others that need it. Only the
batches that workers are at, and the next of each, are on their way: the scheduler keeps no more
than that, however many cells there are.
"""

from __future__ import annotations

import importlib
import logging
import pickle
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import dask
import distributed

from core.base.errors import CoreError, OptionError
from core.sweep.crew import Certificates, Fate, Seat
from core.sweep.stamp import stamp
from core.sweep.work import Batch, Clock, Found, compute

_TLS = "tls://"
LOCAL = "local"
"""In place of an address: a cluster of this machine's own, for as long as the sweep."""
_PATIENCE_S = 10.0
"""For a scheduler to answer, and for a first worker to come."""
_LOOK_S = 2.0
"""Between two looks at who is there."""
_AGAIN_S = 0.3
"""Between two looks while nobody answers."""
CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
}
"""Else whoever waits looks fifty times a second for the time, and workers a hundred times at what
they are doing: a good twentieth of what short cells take."""
_MODELS_A_SEAT = 2
_UNREADABLE = "deserialization of the task graph"
"""How a scheduler begins to say that it cannot unpack what it is to hand on."""
_GONE = "; the same command goes on with the cells that are missing"


class ClusterCrew:
    """The workers of a scheduler, as they come and go; each has one seat."""

    batch_s = 3.0
    """A batch takes a hundredth of a second of all who are in its way."""

    def __init__(
        self,
        address: str,
        count: int,
        bytes_of: Callable[[str], bytes],
        clock: Clock,
        certificates: Certificates | None = None,
    ) -> None:
        self._address, self._bytes_of, self._clock = address, bytes_of, clock
        self._security = _security(address, certificates)
        self._cluster: Any = None
        self._models: OrderedDict[str, Any] = OrderedDict()
        self._seats: tuple[str, ...] = ()
        self._looked = 0.0
        self._checked: set[str] = set()
        _quiet()
        self._client = self._connected(count)
        self._executor = self._client.get_executor(pure=False)

    def seats(self) -> Sequence[Seat]:
        """The addresses of all workers, looked up now and then."""
        if not self._seats or self._clock() - self._looked > _LOOK_S:
            self._seats = self._present()
            self._looked = self._clock()
        return self._seats

    def submit(self, seat: Seat, batch: Batch) -> Future[tuple[Found, ...]]:
        """Have a worker compute a batch; the scheduler may give it to another."""
        try:
            model = self._carried(batch.model)
            future: Future[tuple[Found, ...]] = self._executor.submit(
                _by_name(unpacked),
                model,
                pickle.dumps(batch),
                self._clock,
                workers=[seat],
                allow_other_workers=True,
            )
        except CoreError as error:
            future = Future()
            future.set_exception(error)
        except (OSError, RuntimeError, TimeoutError) as error:
            # A model may have been on its way to a worker that is there no more.
            if not self._is_heard:
                raise self._gone() from error
            future = Future()
            future.set_exception(error)
        return future

    def fate(self, error: BaseException) -> Fate:
        """Only what has ended several workers may be at fault itself."""
        if not self._is_heard:
            raise self._gone() from error
        if isinstance(error, distributed.scheduler.KilledWorker | CoreError):
            return Fate.FAILED
        if _UNREADABLE in str(error):
            raise OptionError(
                f"--dask {self._address}: its scheduler cannot read what it is asked: start it with"
                " the Python and the packages of requirements/cluster.txt that are used here"
            ) from error
        # Whoever had the models may be gone with them.
        self._models.clear()
        self._seats = ()
        return Fate.LOST

    def stop(self) -> None:
        """Leave the cluster; what its workers are at now ends there unheard."""
        self._models.clear()
        self._client.close(timeout=_PATIENCE_S)
        if self._cluster is not None:
            self._cluster.close(timeout=_PATIENCE_S)

    @property
    def _is_heard(self) -> bool:
        """Whether the scheduler is there, or may come back."""
        return self._client.status in ("running", "connecting")

    def _connected(self, count: int) -> Any:
        how = " to these certificates" if self._security else ""
        unheard = OptionError(f"--dask {self._address}: no scheduler answers there{how}")
        where: Any = self._address
        if self._address != LOCAL:
            try:
                distributed.comm.get_address_host_port(self._address)
            except ValueError as error:
                raise OptionError(f"--dask {error}") from error
        else:
            with _deaf():
                where = self._cluster = distributed.LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    # No port that is asked for by name can be taken.
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )
        try:
            return distributed.Client(
                where, timeout=_PATIENCE_S, set_as_default=False, security=self._security
            )
        except (OSError, TimeoutError) as error:
            raise unheard from error
        except TypeError as error:
            # An address that begins with tls://, and nothing that says by which certificates.
            raise OptionError(
                f"--dask {self._address}: TLS asks for certificates: --dask-tls-ca, --dask-tls-cert"
                " and --dask-tls-key"
            ) from error

    def _present(self) -> tuple[str, ...]:
        """Who is there, with this version; waits a while for somebody."""
        until = self._clock() + _PATIENCE_S
        while not (known := self._answering()):
            # A worker may be gone that the scheduler still knows, and another not be ready yet.
            if self._clock() > until:
                raise OptionError(f"--dask {self._address}: no worker answers{_GONE}")
            threading.Event().wait(_AGAIN_S)
        return tuple(sorted(known))

    def _answering(self) -> set[str]:
        """Workers that are there and were found to have this version."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE_S)
            found = set(self._client.nthreads())
            self._demand_same(found - self._checked)
        except (OSError, RuntimeError, TimeoutError) as error:
            if self._is_heard:
                raise OptionError(
                    f"--dask {self._address}: no worker is there, or its scheduler is gone{_GONE}"
                ) from error
            raise self._gone() from error
        return found & self._checked

    def _demand_same(self, fresh: set[str]) -> None:
        """Refuse workers whose results may be others."""
        if not fresh:
            return
        answers = self._client.run(stamp, workers=list(fresh), on_error="return")
        for worker, found in answers.items():
            if found == stamp():
                self._checked.add(worker)
            elif not isinstance(found, BaseException):
                raise OptionError(f"worker {worker} has Reefpoint {found}, and this is {stamp()}")
            elif ModuleNotFoundError.__name__ in repr(found):
                # Unpacking what is asked fails there, and what comes back is told as a text.
                raise OptionError(
                    f"worker {worker} has no Reefpoint: start it with the Python that this one has,"
                    " or in the clone that this one is"
                )

    def _carried(self, digest: str) -> Any:
        """A model on the cluster; the last ones stay there."""
        known = self._models.pop(digest, None)
        if known is None:
            known = self._client.scatter(self._bytes_of(digest), hash=False)
        self._models[digest] = known
        while len(self._models) > _MODELS_A_SEAT * max(len(self._seats), 1):
            self._models.popitem(last=False)
        return known

    def _gone(self) -> OptionError:
        return OptionError(f"--dask {self._address}: the scheduler is gone{_GONE}")


def _by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is looked up where it is called: a scheduler, which unpacks and packs again
    what it hands on, need not have it."""
    module, name = function.__module__, function.__name__

    # What is defined within another one travels as it is, and not as a place to import it from.
    def called(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments)

    return called


def _security(address: str, certificates: Certificates | None) -> Any:
    """What a client shows to a scheduler, and asks of it."""
    if certificates is None:
        return None
    if not address.startswith(_TLS):
        raise OptionError(f"--dask {address}: certificates are for an address such as {_TLS}...")
    security = distributed.Security(
        tls_ca_file=str(certificates.authorities),
        tls_client_cert=str(certificates.own),
        tls_client_key=str(certificates.key),
        require_encryption=True,
    )
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else None
        raise OptionError(
            f"--dask {address}: the certificates cannot be used: {told or error}"
        ) from error
    return security


def unpacked(model: bytes, batch: bytes, clock: Clock) -> tuple[Found, ...]:
    """What a worker does; the scheduler would unpack and pack again whatever is no bytes."""
    return compute(model, pickle.loads(batch), clock)


@contextmanager
def _deaf() -> Iterator[None]:
    """Let processes that start meanwhile take no Ctrl+C: it is for the one that asks, which ends
    them."""
    # `start_unheard` masks its own thread; a cluster starts its processes in another one.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _quiet() -> None:
    """What goes wrong is told by those who use this, in one line."""
    dask.config.set(
        # Workers of our own have it from here.
        CALM | {"distributed.comm.timeouts.connect": f"{_PATIENCE_S:.0f}s"}
    )
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.startswith(("distributed", "tornado", "asyncio")):
            logging.getLogger(name).setLevel(logging.CRITICAL)
