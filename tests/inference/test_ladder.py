"""The ladder with rungs made up for the purpose: which are made, which answer, who refuses."""

from types import SimpleNamespace

import numpy as np
import pytest

from isingmap.errors import PrecisionError
from isingmap.inference.precision import Ladder, RungKind

MODEL = SimpleNamespace(n_spins=100, couplings=np.array([1.0, -30.0]))


class Rungs:
    """Kinds of the given losses; notes which rungs are made."""

    def __init__(self, *losses, **limits):
        self.made = []
        self.kinds = [RungKind(f"rung {k}", self.maker(k, loss)) for k, loss in enumerate(losses)]
        self.kinds[-1] = RungKind("the last", self.maker(len(losses) - 1, losses[-1]), **limits)

    def maker(self, k, loss):
        def make(model):
            self.made.append(k)
            return SimpleNamespace(loss=loss, number=k)

        return make

    def ladder(self, made=None):
        return Ladder(MODEL, self.kinds, made)


def refusing(*numbers):
    """A question that some rungs refuse; the answer is the number of the rung."""

    def question(rung):
        if rung.number in numbers:
            raise PrecisionError(f"rung {rung.number} refuses", loss=1.0)
        return rung.number

    return question


@pytest.mark.parametrize(("losses", "solved"), [((1e-12, 0, 0), 0), ((1e-9, 0, 0), 1), ((np.nan, np.inf, 1e-13), 2)])
def test_the_first_exact_rung_solves_and_no_later_one_is_made(losses, solved):
    rungs = Rungs(*losses)
    ladder = rungs.ladder()
    assert ladder.solved.number == solved
    assert ladder.solved is ladder.solved
    assert rungs.made == list(range(solved + 1))


def test_where_the_last_is_out_of_reach_a_larger_loss_is_allowed():
    rungs = Rungs(1e-8, 1e-9, 0.0, most_spins=99)
    assert rungs.ladder().solved.number == 1
    assert rungs.made == [0, 1]


def test_too_strong_for_all_says_what_is_too_large():
    message = r"\|coupling\| 30\).*loss is 1.0e-06.* 100 spins are too many for the last \(at most 99\)"
    with pytest.raises(PrecisionError, match=message) as caught:
        Rungs(1e-5, 1e-6, 0.0, most_spins=99).ladder().solved  # noqa: B018
    assert caught.value.loss == 1e-6


def test_a_question_goes_up_from_what_solved():
    ladder = Rungs(1.0, 1e-12, 0.0).ladder()
    assert ladder.ask(refusing()) == 1
    assert ladder.ask(refusing(1)) == 2
    assert ladder.ask_unmeasured(refusing()) == 0
    assert ladder.ask_unmeasured(refusing(0)) == 1


def test_a_question_that_looks_at_its_own_errors_does_not_wait_for_the_loss():
    rungs = Rungs(1.0, 1e-12)
    assert rungs.ladder().ask_unmeasured(refusing()) == 0
    assert rungs.made == [0]


def test_large_models_are_not_asked_of_a_later_rung():
    ladder = Rungs(1e-12, 1e-12, 0.0, most_spins_asked=99).ladder()
    with pytest.raises(PrecisionError, match="rung 1 refuses"):
        ladder.ask(refusing(0, 1))
    assert Rungs(1.0, 1.0, 0.0, most_spins_asked=99).ladder().ask(refusing()) == 2  # it has solved the model already


def test_a_rung_that_is_there_is_not_made_again():
    rungs = Rungs(1e-12, 0.0)
    there = SimpleNamespace(loss=0.0, number=7)
    assert rungs.ladder({"rung 0": there}).solved is there
    assert rungs.made == []
