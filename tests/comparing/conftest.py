import pytest
from two_groups import sampled


@pytest.fixture(scope="session")
def spins():
    return sampled([0.6, 0.5, -0.7, 0.4], 90, 1), sampled([0.6, 0.5, 0.3, 0.4], 70, 2)
