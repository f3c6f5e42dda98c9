"""The lm-eval task behind the files of `lm_eval_tasks`: `lm_eval --tasks worldline_generated`.

Prompts and budgets are those of `worldline bench`; the model is lm-eval's. lm-eval does not report why a text ended: a
text as long as its budget counts as truncated, any other as ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datasets import Dataset
from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault
from worldline.evaluation.harness.samples import HarnessSample, samples
from worldline.predict.servers.prompt_styles import Sampling

SPLIT = "test"
METRICS = ("answer", "trace")


class SuiteTask(ConfigurableTask):
    """A suite as a task of lm-eval. `--metadata '{"worldline": {"count": 50, "seed": 1}}'` sets the suite's options."""

    VERSION = 1

    def __init__(self, config: dict[str, Any]) -> None:
        settings = {key: value for key, value in config.items() if key not in ("class", "suite")}
        self._suite: str = config["suite"]
        self._way = "text"
        self._samples: dict[str, HarnessSample] = {}
        defaults = Sampling()
        generation = {"until": [], "temperature": defaults.temperature, "max_gen_toks": defaults.max_tokens}
        super().__init__(
            config={
                "output_type": "generate_until",
                "test_split": SPLIT,
                "doc_to_text": "{{prompt}}",
                "doc_to_target": "{{truth}}",
                "generation_kwargs": generation | {"do_sample": False},
                "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in METRICS],
                "process_results": self._judged,
                **settings,
            }
        )

    def download(self, *_given: Any, **_named: Any) -> None:
        """Record the programs; nothing is downloaded."""
        options = dict((self.config.metadata or {}).get("worldline") or {})
        self._samples = samples(self._suite, options.pop("count", None), options)
        self.dataset = {SPLIT: Dataset.from_list([_row(sample) for sample in self._samples.values()])}

    def fewshot_context(
        self,
        doc: dict[str, Any],
        num_fewshot: int = 0,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        chat_template: Callable[..., Any] | None = None,
        **_rest: Any,
    ) -> Any:
        """Return the prompt, or the conversation for a chat model, as `worldline bench` writes it."""
        if num_fewshot or system_instruction:
            raise UsageError("a suite has its own prompt: drop --num_fewshot and --system_instruction")
        self._way = "chat" if apply_chat_template and chat_template else "text"
        question = self._samples[doc["id"]].question(self._way)
        return chat_template(question["messages"]) if "messages" in question and chat_template else question["prompt"]

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> Instance:
        """Return one request with the sample's own budget and stop text."""
        rest = {key: value for key, value in kwargs.items() if key not in ("apply_chat_template", "chat_template")}
        sample, generation = self._samples[doc["id"]], dict(self.config.generation_kwargs)
        generation["max_gen_toks"] = sample.tokens(generation["max_gen_toks"])
        generation["until"] = sample.question(self._way).get("stop", [])
        return Instance(request_type="generate_until", doc=doc, arguments=(ctx, generation), idx=0, **rest)

    def _judged(self, doc: dict[str, Any], results: list[str]) -> dict[str, int]:
        sample, text = self._samples[doc["id"]], results[0]
        is_cut = len(text.encode("utf-8", "surrogatepass")) >= sample.ask.max_new_bytes
        judged = sample.judged(self._way, text, cut=is_cut)
        if isinstance(judged, RowFault):
            return {}  # in no rate
        return {name: int(getattr(judged, name) == "right") for name in METRICS}


def _row(sample: HarnessSample) -> dict[str, str]:
    return {
        "id": sample.id,
        "prompt": sample.ask.prompt.decode("utf-8", "replace"),
        "truth": sample.true.text.decode("utf-8", "replace"),
    }
