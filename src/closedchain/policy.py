"""What closed, at the edge, singular and of full rank mean in numbers, and why: the one place that says so.

Lengths are counted in the mechanism's own size (`Model.scale`), matrices with rows and columns of equal size: nothing
here depends on units. ε = 2.2e-16 is the rounding of one operation on a number of that size.

Closed. A closure is a sum of a few dozen products. At a solution it is rounding: about √50 ε of them, times the slope
of the closure, some 10 to 500 ε in all.

    CLOSED     1e-13   Newton's method ends here: nothing smaller can be told from zero
    ROUNDED    1e-12   the same after the coordinates were rounded themselves: what is given in doubles closes so
    GAP        1e-9    solutions that meet are √ε = 1.5e-8 apart; the gap of their middle is the square of that, times a
                       large slope. Numbers written with ten digits close so, too: an answer is accepted
    OPEN       1e-6    no rounding comes here: a start or a step that is open by more is refused
    TORN       1e-2    loops of engines that hold them by springs open by 1e-3 under load; beyond this they have failed

At the edge. A leg's slack is a difference of lengths, right to a few hundred ε; a joint's value to ten times that.

    EDGE       1e-13   a leg with no more left is at the end of its reach: two branches are one
    LIMIT      1e-12   a joint that is beyond its limit by less is on it

Singular. Eliminating an n × n matrix with rows of length 1 leaves pivots with an error of about n ε.

    SINGULAR   1e-13   |det A| / Π |rows|, or a pivot over its own diagonal: zero by rounding, nothing is divided by it
    IRREGULAR  1e-12   σ_min / σ_max of A: ten times that, for what a search takes as a configuration
    CRITICAL   1e-9    a margin that is told as singular: a pose that was searched for is off by GAP at most

Of full rank. Singular values of Φ at a configuration closed to GAP are off by GAP times the closures' curvature.

    RANK       1e-9    of the largest: below it a row or a direction adds nothing
    SLIP       1e-9    of the fastest rate: velocities that open a closure faster break it
"""

CLOSED = 1e-13
ROUNDED = 1e-12
GAP = 1e-9
OPEN = 1e-6
TORN = 1e-2

EDGE = 1e-13
LIMIT = 1e-12

SINGULAR = 1e-13
IRREGULAR = 1e-12
CRITICAL = 1e-9

RANK = 1e-9
SLIP = 1e-9
