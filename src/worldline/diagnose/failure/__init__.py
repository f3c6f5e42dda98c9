"""A failing test explained: `explain_failure` finds where it failed and who wrote the values that it compared."""

from worldline.diagnose.failure.explain import explain_failure as explain_failure
from worldline.diagnose.failure.explanation import FailureExplanation as FailureExplanation
