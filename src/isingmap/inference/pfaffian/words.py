"""Numbers of two or four words, for couplings at which doubles lose too much.

A number is the unevaluated sum of two doubles (106 bits) or of four (212 bits), the largest first: a tuple, so that
numba compiles all that is here for either length. A matrix is a tuple of matrices of doubles, one for each word. What
rounding leaves out of a sum or a product of doubles is a double itself (Dekker 1971), and is carried along; four words
are summed and multiplied as in the QD library (Hida, Li and Bailey 2001), without branches. The last bits of a result
may be wrong, and more of them where terms cancel: what is lost is measured (`inference/word_solution.py`).

All of it holds as long as the compiler neither reorders nor fuses operations, which it does not unless it is told to.
"""

from __future__ import annotations

from isingmap.compiled import HELPER, compiled

# Without calls, loops over numbers become vector instructions.
arithmetic = compiled(forceinline=True, **HELPER)

# 2^27 + 1: divides a double into halves of 26 bits, whose products are exact.
SPLITTER = 134217729.0


@arithmetic
def two_sum(a, b):
    """(a + b rounded, what rounding left out)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@arithmetic
def ordered_sum(a, b):
    """`two_sum` where a is zero or not smaller than b."""
    total = a + b
    return total, b - (total - a)


@arithmetic
def two_product(a, b):
    """(a b rounded, what rounding left out)."""
    result = a * b
    scaled_a, scaled_b = SPLITTER * a, SPLITTER * b
    high_a, high_b = scaled_a - (scaled_a - a), scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    return result, ((high_a * high_b - result) + high_a * low_b + low_a * high_b) + low_a * low_b


@arithmetic
def _three_sum(a, b, c):
    total, first = two_sum(a, b)
    result, second = two_sum(c, total)
    second, third = two_sum(first, second)
    return result, second, third


@arithmetic
def _renormalised(a, b, c, d, e):
    """Four words that do not overlap from five that hardly do."""
    total, fifth = ordered_sum(d, e)
    total, fourth = ordered_sum(c, total)
    total, third = ordered_sum(b, total)
    first, second = ordered_sum(a, total)
    second, third = ordered_sum(second, third)
    third, fourth = ordered_sum(third, fourth)
    return first, second, third, fourth + fifth


@arithmetic
def negative(x):
    """-x."""
    if len(x) == 2:
        return -x[0], -x[1]
    return -x[0], -x[1], -x[2], -x[3]


@arithmetic
def widened(value, x):
    """A double as a number of as many words as x."""
    if len(x) == 2:
        return value, 0.0
    return value, 0.0, 0.0, 0.0


@arithmetic
def add(x, y):
    """x + y."""
    total, rest = two_sum(x[0], y[0])
    if len(x) == 2:
        return ordered_sum(total, rest + (x[1] + y[1]))
    second, left = two_sum(x[1], y[1])
    third, leaves = two_sum(x[2], y[2])
    fourth, last = two_sum(x[3], y[3])
    second, rest = two_sum(second, rest)
    third, rest, left = _three_sum(third, rest, left)
    fourth, rest, leaves = _three_sum(fourth, rest, leaves)
    return _renormalised(total, second, third, fourth, rest + left + leaves + last)


@arithmetic
def multiply_words(x, y):
    """x y."""
    p, q = two_product(x[0], y[0])
    if len(x) == 2:
        return ordered_sum(p, q + (x[0] * y[1] + x[1] * y[0]))
    p1, q1 = two_product(x[0], y[1])
    p2, q2 = two_product(x[1], y[0])
    p3, q3 = two_product(x[0], y[2])
    p4, q4 = two_product(x[1], y[1])
    p5, q5 = two_product(x[2], y[0])
    second, p2, q = _three_sum(p1, p2, q)
    p2, q1, q2 = _three_sum(p2, q1, q2)
    p3, p4, p5 = _three_sum(p3, p4, p5)
    third, t = two_sum(p2, p3)
    fourth, u = two_sum(q1, p4)
    fourth, t = two_sum(fourth, t)
    fifth = q2 + p5 + (t + u)
    fourth += x[0] * y[3] + x[1] * y[2] + x[2] * y[1] + x[3] * y[0] + q + q3 + q4 + q5
    return _renormalised(p, second, third, fourth, fifth)


@arithmetic
def add_product(total, x, y):
    """total + x y; of two words, the second gathers what the first leaves out and is put in order by `normalised`."""
    if len(x) == 2:
        p, q = two_product(x[0], y[0])
        first, rest = two_sum(total[0], p)
        return first, total[1] + (rest + (q + (x[0] * y[1] + x[1] * y[0])))
    return add(total, multiply_words(x, y))


@arithmetic
def normalised(x):
    """The same number with words that do not overlap."""
    if len(x) == 2:
        return two_sum(x[0], x[1])
    return x


@compiled(error_model="numpy", **HELPER)
def divide(x, y):
    """x / y, word by word; division by 0 gives infinities and no error."""
    quotient = widened(x[0] / y[0], x)
    for _ in range(len(x)):
        remainder = add(x, negative(multiply_words(quotient, y)))
        quotient = add(quotient, widened(remainder[0] / y[0], x))
    return quotient
