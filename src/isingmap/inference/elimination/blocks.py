"""Tables are worked through in blocks of 2^BLOCK configurations, which stay in the processor's nearest cache.

What depends only on the low bits of a configuration, those inside a block, is computed once for each clique.
"""

from __future__ import annotations

from isingmap.compiled import helper

BLOCK = 10


@helper
def low_offsets(place, first, last, bits, lows, at):
    """Entries of a child's table for the low bits of its parent's configuration, lows[at:at + 2^bits].

    Returns the first member of its front beyond the low bits.
    """
    j = first
    lows[at] = 0
    for b in range(bits):
        step = 0
        if j < last and place[j] == b:
            step = 1 << (j - first)
            j += 1
        half = at + (1 << b)
        for t in range(1 << b):
            lows[half + t] = lows[at + t] + step
    return j


@helper
def high_offset(place, first, j, last, bits, block):
    """The part of a child's entry that comes from the high bits of the parent's configuration."""
    offset = 0
    for m in range(j, last):
        offset += ((block >> (place[m] - bits)) & 1) << (m - first)
    return offset
