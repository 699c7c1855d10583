"""Several processes training one model: each takes its share of a step's batches, gradients are summed.

Every process reads the same batch stream and so knows, without asking, how many target tokens the whole step has.
A sum of gradients of ``loss / tokens`` is then the gradient of the whole step, whatever the number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor

from translit.errors import TranslitError


@dataclass(frozen=True)
class World:
    """This process's place among those that ``torchrun`` started; alone it is 0 of 1."""

    rank: int = 0
    size: int = 1

    @property
    def is_main(self) -> bool:
        """Whether this process prints and saves."""
        return self.rank == 0

    def batches_per_step(self, accumulate: int) -> int:
        """How many batches one optimizer step takes: ``accumulate``, and at least one for every process."""
        return max(accumulate, self.size)

    def sum(self, tensors: list[Tensor]) -> None:
        """Replace each tensor by its sum over all processes, in one message."""
        if self.size == 1:
            return
        flat = torch._utils._flatten_dense_tensors(tensors)
        with _others_alive():
            dist.all_reduce(flat)
        for tensor, total in zip(tensors, torch._utils._unflatten_dense_tensors(flat, tensors), strict=True):
            tensor.copy_(total)

    def broadcast(self, tensors: list[Tensor], owner: int) -> None:
        """Replace each tensor by that of process ``owner``, in one message."""
        if self.size == 1 or not tensors:
            return
        flat = torch._utils._flatten_dense_tensors(tensors)
        with _others_alive():
            dist.broadcast(flat, owner)
        if owner != self.rank:
            for tensor, sent in zip(
                tensors, torch._utils._unflatten_dense_tensors(flat, tensors), strict=True
            ):
                tensor.copy_(sent)

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in any process (so that all stop at the same step)."""
        if self.size == 1:
            return flag
        value = torch.tensor(int(flag))
        with _others_alive():
            dist.all_reduce(value, op=dist.ReduceOp.MAX)
        return bool(value)

    def wait(self) -> None:
        if self.size > 1:
            with _others_alive():
                dist.barrier()


@contextmanager
def joined_world() -> Iterator[World]:
    """Meet the other processes when started by ``torchrun`` (which sets WORLD_SIZE); else be alone."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield World()
        return
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    # A process that dies is noticed at once; the hour is for what the first alone prepares: stores, alignments.
    dist.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo", timeout=timedelta(hours=1))
    world = World(dist.get_rank(), dist.get_world_size())
    try:
        yield world
        _part_together(world)
    finally:
        dist.destroy_process_group()


def _part_together(world: World) -> None:
    """Keep the connections open until the main process needs them no more: it would take a closed one for a crash."""
    store = dist.distributed_c10d._get_default_store()
    if world.is_main:
        store.set("finished", "")
    else:
        with suppress(RuntimeError):  # the main process, which keeps the store, may be gone already
            store.wait(["finished"], timedelta(minutes=1))


@contextmanager
def _others_alive() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise TranslitError(
            f"another training process is gone ({reason}); start all of them again with --resume to go on from the "
            "last checkpoint"
        ) from None
