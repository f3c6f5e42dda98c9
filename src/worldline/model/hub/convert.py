"""A model's weights and shape under the names that modeling_worldline.py gives them, and a tokenizer of bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldline.model.shape import CONV_TAPS, HEAD_SIZE, KV_HEADS, Shape
from worldline.model.weights import FloatArray

# The padding of batches is the byte 0, which no source text holds.
PAD_BYTE, PAD_TOKEN = 0, "\0"
PRINTABLE = (range(ord("!"), ord("~") + 1), range(ord("¡"), ord("¬") + 1), range(ord("®"), ord("ÿ") + 1))
_RENAMED = {
    "mixer_short.taps": "mixer_conv.taps",
    "mlp_short.taps": "mlp_conv.taps",
    "mixer.inner.weight": "mixer.qkvg_proj.weight",
    "mixer.outer.weight": "mixer.o_proj.weight",
    "mixer.rates": "mixer.rates",
    "mixer.bias": "mixer.rates_bias",
    "mixer.sharpness": "mixer.sharpness",
    "mlp.inner.weight": "mlp.gate_up_proj.weight",
    "mlp.outer.weight": "mlp.down_proj.weight",
}


def convert_weights(shape: Shape, weights: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Rename the weights of a model."""
    tensors = {"embed_tokens.weight": weights["embed"], "lm_head.weight": weights["head"]}
    for number in range(len(shape.layers)):
        prefix = f"layers.{number}."
        tensors |= {prefix + new: weights[prefix + old] for old, new in _RENAMED.items() if prefix + old in weights}
    return tensors


def model_config(shape: Shape) -> dict[str, Any]:
    """Return config.json: the sizes of a model, and where its code is."""
    return {
        "architectures": ["WorldlineForCausalLM"],
        "auto_map": {
            "AutoConfig": "configuration_worldline.WorldlineConfig",
            "AutoModelForCausalLM": "modeling_worldline.WorldlineForCausalLM",
        },
        "model_type": "worldline",
        "dtype": "float32",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "intermediate_size": shape.hidden,
        "mixers": list(shape.layers),
        "head_dim": HEAD_SIZE,
        "num_attention_heads": shape.queries,
        "num_key_value_heads": KV_HEADS,
        "num_delta_heads": shape.heads,
        "num_forgetting_heads": shape.gated,
        "householder_steps": shape.householders,
        "conv_taps": CONV_TAPS,
        "sliding_window": shape.window,
        "distance_slopes": list(shape.slopes),
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": PAD_BYTE,
        "tie_word_embeddings": False,
    }


def generation_config(max_new_bytes: int) -> dict[str, Any]:
    """Return generation_config.json: greedy decoding, up to the end of the trace."""
    return {"do_sample": False, "max_new_tokens": max_new_bytes, "pad_token_id": PAD_BYTE, "eos_token_id": None}


def byte_characters() -> list[str]:
    """Return the character that stands for each byte in the vocabulary of a byte-level tokenizer."""
    printable = {byte for block in PRINTABLE for byte in block}
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


def byte_tokenizer() -> dict[str, Any]:
    """Return tokenizer.json: one token per byte of UTF-8, with the byte as its id."""
    vocabulary = {character: byte for byte, character in enumerate(byte_characters())}
    # The special token is found in a text before its bytes are, so the byte has no other name.
    vocabulary = {PAD_TOKEN: PAD_BYTE} | {name: byte for name, byte in vocabulary.items() if byte != PAD_BYTE}
    pad = {"id": PAD_BYTE, "content": PAD_TOKEN, "special": True}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [pad | flags],
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": [],
        },
    }


def tokenizer_config() -> dict[str, Any]:
    """Return tokenizer_config.json: padding stands on the left, before the prompt."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": PAD_TOKEN,
        "padding_side": "left",
        "clean_up_tokenization_spaces": False,
        "model_input_names": ["input_ids", "attention_mask"],
    }
