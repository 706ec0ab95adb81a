"""The number of the method: two records of one number can be put beside each other.

It is raised where the same stacks, under the same load, would read otherwise than before: another estimator, other
slices, other accounts. What a suite or an option changes is in the plan; it needs no number.
"""

METHOD = 2
