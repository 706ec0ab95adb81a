"""Change points of a history: where the ratio of an arm to its baseline moved to another level, and by how much.

`outliers.py` tames single records, `partition.py` has the best partition for each number of changes, `spread.py` what
is known of the spread between records, `find.py` chooses, `newest.py` puts one record beside the stretch before it.
docs/explain/change-points.md says it in plain words. Nothing here knows of records or databases.
"""

from hopcost.statistics.change_points.find import change_points
from hopcost.statistics.change_points.newest import Newest, newest_record
from hopcost.statistics.change_points.segments import LEAST_RECORDS, Change, Segments, Stretch

__all__ = ["LEAST_RECORDS", "Change", "Newest", "Segments", "Stretch", "change_points", "newest_record"]
