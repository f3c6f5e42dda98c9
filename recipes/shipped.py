"""The shipped model: what it is trained on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from worldline.data.mine import Quarry
from worldline.data.mixture import GENERATE, TASKS, Mixture, Source

# What `worldline data mine shipped` wrote; without it the mixture is generated programs and tasks alone.
MINED = Path(__file__).resolve().parents[1] / ".carry" / "mined.jsonl.xz"

# Pure-Python packages, installed for the purpose in an environment of their own; their source stays there.
PACKAGES = """
addict algorithms art astor asttokens attr babel bidict bitstring bleach boltons bs4 cachetools
case_conversion chardet chess click colorama colour construct cowsay cssselect dateutil deepdiff
dictdiffer docutils dotty_dict emoji ftfy funcy furl fuzzywuzzy glom humanize hyperlink icalendar idna
inflect inflection intervals intervaltree ipaddress isort jellyfish jinja2 jmespath jsonpatch jsonpointer
langcodes lark markdown marshmallow mistune more_itertools mpmath munch natsort netaddr networkx nltk
num2words ordered_set packaging parse parso ply portion prettytable primefac pronouncing pycodestyle
pydash pyfiglet pyflakes pygments pyparsing pyphen pypinyin pyrsistent rfc3986 rich roman schema semver
simplejson slugify snowballstemmer sortedcontainers sqlparse stdnum strsimpy sudoku_py syllables tabulate
termcolor textdistance textstat texttable textwrap3 thefuzz tinycss2 titlecase tldextract tomli tomlkit
toolz transliterate unidecode uritools url_normalize validators w3lib wcwidth webcolors xmltodict yapf
"""


def data() -> Mixture:
    """Generated programs, state-tracking tasks and mined functions, in every mode."""
    if not MINED.exists():
        return Mixture()
    mined = Source(kind="mine", program="worldline.data.mine:drawer", argument=str(MINED), weight=0.2)
    return Mixture(sources=(replace(GENERATE, weight=0.62), replace(TASKS, weight=0.18), mined))


def quarry() -> Quarry:
    """Where real functions are mined."""
    return Quarry(places=("stdlib", *PACKAGES.split()))
