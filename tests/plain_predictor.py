"""What the predictors of the tests have in common: they say who they are, and can do nothing but predict."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from worldline.predict.predictor import Capabilities, ModelInfo


class PlainPredictor:
    """A predictor that is told by its `name` and `codec`."""

    name = "plain"
    codec = "compact"
    digest = ""
    is_replay = False
    config: Mapping[str, object] = MappingProxyType({})

    @property
    def info(self) -> ModelInfo:
        """What its attributes say."""
        return ModelInfo(
            name=self.name, notation=self.codec, digest=self.digest, is_replay=self.is_replay, config=self.config
        )

    @property
    def capabilities(self) -> Capabilities:
        """None."""
        return Capabilities()
