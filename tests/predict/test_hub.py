"""A model of `transformers`: a small one with random weights, stored and loaded as one from the hub would be."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.models import load_model
from worldline.predict.prediction import Decoding, PredictionRequest

HAVE = importlib.util.find_spec("transformers") is not None and importlib.util.find_spec("torch") is not None
needed = pytest.mark.skipif(not HAVE, reason="the hub extra is not installed: pip install 'worldline[hub]'")
ASK = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(1)"), limit=12)


@pytest.mark.skipif(HAVE, reason="the hub extra is installed")
def test_without_the_extra_its_name_is_said() -> None:
    with pytest.raises(UsageError, match=r"hub:some/model needs .*: pip install 'worldline\[hub\]'"):
        load_model("hub:some/model")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two small layers over bytes, with Meta's special tokens at their ids."""
    import tokenizers
    import torch
    import transformers
    from tokenizers import AddedToken, decoders, models, pre_tokenizers

    from worldline.codec.cwm.text import TOKENS, token

    names = {number: token(name) for name, number in TOKENS.items()}
    words = {char: at for at, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    words |= {names.get(number, f"<|spare_{number}|>"): number for number in range(256, 128_108)}
    inner = tokenizers.Tokenizer(models.BPE(words, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens([AddedToken(text, special=True) for text in names.values()])
    path = tmp_path_factory.mktemp("hub") / "cwm-tiny"
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=token("end_of_text"))
    tokenizer.save_pretrained(path)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=128_108, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=2048, bos_token_id=128_000, eos_token_id=128_001,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


def greedy(folder: Path, ids: list[int], count: int) -> list[int]:
    """The likeliest ids one by one, without generate."""
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    written: list[int] = []
    with torch.no_grad():
        for _ in range(count):
            written.append(int(model(torch.tensor([ids + written])).logits[0, -1].argmax()))
    return written


@needed
def test_meta_s_format_goes_by_ids(folder: Path) -> None:
    import transformers

    from worldline.predict.hub import HubVocabulary
    from worldline.predict.servers.tokens import spelled, stage

    model: Any = load_model(f"hub:{folder}", {"max_tokens": "8"})
    assert model.info.config["way"] == "tokens"
    (found,) = model.predict([PredictionRequest(program=ASK.program)])
    vocabulary = HubVocabulary(transformers.AutoTokenizer.from_pretrained(folder))
    ids = stage(ASK.program).ids(vocabulary)
    wanted = greedy(folder, ids, 8)
    assert found.codec == "cwm"
    assert found.text.decode() == spelled(wanted, vocabulary)
    assert found.status == "budget"
    assert found.logprob < 0


@needed
def test_no_text_reads_as_a_special_token(folder: Path) -> None:
    import transformers

    from worldline.predict.hub import HubVocabulary

    vocabulary = HubVocabulary(transformers.AutoTokenizer.from_pretrained(folder))
    ids = vocabulary.ids("x = '<|frame_sep|>é'\n")
    assert max(ids) < 256
    assert vocabulary.data(ids) == "x = '<|frame_sep|>é'\n".encode()


@needed
def test_another_notation_is_asked_by_text(folder: Path) -> None:
    model = load_model(f"hub:{folder}", {"way": "text", "codec": "compact", "temperature": "1.0", "seed": "5"})
    first, again = model.predict([ASK, ASK])
    assert first.codec == "compact"
    assert len(first.text) == ASK.limit
    assert (first.text, first.logprob) == (again.text, again.logprob)
    other = load_model(f"hub:{folder}", {"way": "text", "codec": "compact", "temperature": "1.0", "seed": "6"})
    assert next(iter(other.predict([ASK]))).text != first.text
    (drawn,) = other.predict([replace(ASK, decoding=Decoding(temperature=1.0, seed=5))])
    assert (drawn.text, drawn.logprob) == (first.text, first.logprob)


@needed
def test_a_model_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="hub:"):
        load_model(f"hub:{tmp_path / 'none'}")
