"""What must be known of an app before it is measured: what changes in its answers, and when it is warm."""

from hopcost.measure.learn.learn import learn_app
from hopcost.measure.learn.learned import Learned

__all__ = ["Learned", "learn_app"]
