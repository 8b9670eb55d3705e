"""A property computed once, without a lock between objects."""

import threading

from isingmap.cached import cached_property


class Slow:
    def __init__(self, wait=None):
        self.calls = 0
        self.wait = wait

    @cached_property
    def value(self):
        """What it is."""
        self.calls += 1
        if self.wait is not None:
            self.wait()
        return object()


def test_it_is_computed_once_and_kept():
    slow = Slow()
    assert slow.value is slow.value
    assert slow.calls == 1
    assert Slow.value.__doc__ == "What it is."


def test_two_objects_do_not_wait_for_each_other():
    """Each computation ends only when the other has begun, which a common lock would not allow."""
    barrier = threading.Barrier(2, timeout=20)
    slow = [Slow(barrier.wait) for _ in range(2)]
    other = threading.Thread(target=lambda: slow[1].value, daemon=True)
    other.start()
    assert slow[0].value is slow[0].value
    other.join(20)
    assert slow[1].calls == 1
    assert not barrier.broken


def test_two_threads_at_one_object_see_one_value():
    barrier = threading.Barrier(2, timeout=20)
    slow, found = Slow(barrier.wait), []
    threads = [threading.Thread(target=lambda: found.append(slow.value), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert slow.calls == 2
    assert found[0] is found[1] is slow.value
