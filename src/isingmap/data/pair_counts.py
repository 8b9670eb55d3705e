"""How often two columns agree, counted 64 rows at a time: one bit for each cell."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import helper, kernel

_ROWS_AT_ONCE = 1 << 13  # 1 KiB of bits for each column
_WORD = 64
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES, _TOP = np.uint64(0x0101010101010101), np.uint64(56)
_S1, _S2, _S4 = np.uint64(1), np.uint64(2), np.uint64(4)


def count_pairs(spins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums over rows of spins, exact. Cost O(n_rows n_spins^2 / 64), for 30 columns 40 ns a row.

    Parameters
    ----------
    spins : (n_rows, n_spins) int8
        -1, 0 for a missing cell, or +1.

    Returns
    -------
    products : (n_spins, n_spins) int64
        Sums of x_i x_j.
    seen : (n_spins, n_spins) int64
        Rows in which both are known.
    beside : (n_spins, n_spins) int64
        In row i and column j the sum of x_i over the rows in which x_j is known.
    """
    n_spins = spins.shape[1]
    sums = np.zeros((3, n_spins, n_spins), np.int64)
    bits = np.zeros((2, n_spins, _ROWS_AT_ONCE // _WORD), np.uint64)
    word = np.zeros((2, n_spins), np.uint64)
    for first in range(0, len(spins), _ROWS_AT_ONCE):
        block = np.ascontiguousarray(spins[first : first + _ROWS_AT_ONCE])
        n_words = -(-len(block) // _WORD)
        if _pack(block, bits[0], bits[1], word[0], word[1]):
            _count_complete(bits[0], n_words, len(block), sums)
        else:
            _count_known(bits[0], bits[1], n_words, sums)
    return sums[0], sums[1], sums[2]


@helper
def _ones(x):
    """How many bits of a word are set, in the form that compilers make one instruction of."""
    x = x - ((x >> _S1) & _M1)
    x = (x & _M2) + ((x >> _S2) & _M2)
    x = (x + (x >> _S4)) & _M4
    return np.int64((x * _BYTES) >> _TOP)


@kernel
def _pack(block, plus, known, p, k):
    """Fill the bits of a block: which cells are +1, which are known. Returns whether all are."""
    n_rows, n_spins = block.shape
    n_known = 0
    for word in range((n_rows + 63) // 64):
        base = 64 * word
        for j in range(n_spins):
            p[j] = 0
            k[j] = 0
        for row in range(base, min(base + 64, n_rows)):
            shift = np.uint64(row - base)
            for j in range(n_spins):
                x = np.int64(block[row, j])
                p[j] |= np.uint64((x + 1) >> 1) << shift
                k[j] |= np.uint64(x & 1) << shift
        for j in range(n_spins):
            plus[j, word] = p[j]
            known[j, word] = k[j]
            n_known += _ones(k[j])
    return n_known == n_rows * n_spins


@kernel
def _count_complete(plus, n_words, n_rows, sums):
    """Add the counts of a block in which all cells are known."""
    n_spins = len(plus)
    for i in range(n_spins):
        n_plus = 0
        for w in range(n_words):
            n_plus += _ones(plus[i, w])
        for j in range(n_spins):
            sums[1, i, j] += n_rows
            sums[2, i, j] += 2 * n_plus - n_rows
        for j in range(i + 1):
            n_differing = 0
            for w in range(n_words):
                n_differing += _ones(plus[i, w] ^ plus[j, w])
            sums[0, i, j] += n_rows - 2 * n_differing
            sums[0, j, i] = sums[0, i, j]


@kernel
def _count_known(plus, known, n_words, sums):
    """Add the counts of a block with missing cells, which are +1 nowhere."""
    n_spins = len(plus)
    for i in range(n_spins):
        for j in range(n_spins):
            n_both, n_plus, n_differing = 0, 0, 0
            for w in range(n_words):
                both = known[i, w] & known[j, w]
                n_both += _ones(both)
                n_plus += _ones(plus[i, w] & known[j, w])
                n_differing += _ones((plus[i, w] ^ plus[j, w]) & both)
            sums[0, i, j] += n_both - 2 * n_differing
            sums[1, i, j] += n_both
            sums[2, i, j] += 2 * n_plus - n_both
