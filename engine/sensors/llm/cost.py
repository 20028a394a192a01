"""What requests may cost, and what they did: exact decimal arithmetic over declared prices.

Without a key nobody counts tokens exactly. `likely` is an estimate that is meant to be high, about twice what English
takes. `most` is a bound that no text gets above: no token is shorter than a byte. `--max-cost` holds to the bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal

from ...canonical import dumps
from ...frozen import dataclass
from ...sensor import Prices
from .asking import Request
from .calls import Usage

_FRAME = 600
"""Tokens that a provider puts around a request: for its roles, and to explain the schema."""
_CHARACTERS_PER_TOKEN = 2
_EXACT = Context(prec=200)
_FEWEST_PLACES, _MOST_PLACES = 4, 8


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one request or of several: sent, likely and at most; received, at most."""

    likely_input: int
    most_input: int
    most_output: int


def tokens_of(requests: Iterable[Request], most_output: int | None = None) -> Tokens:
    """The sum over requests. `most_output` replaces what each request says of its answer.

    ASCII counts as a token for two characters, anything else as one for each byte of its UTF-8.
    """
    likely = most = output = 0
    for request in requests:
        texts = (request.system, request.user, dumps(dict(request.schema)), *(one.ask for one in request.asked))
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        plain = sum(sum(character < "\x80" for character in text) for text in texts)
        likely += -(-plain // _CHARACTERS_PER_TOKEN) + (size - plain) + _FRAME
        most += size + _FRAME
        output += request.most_output if most_output is None else most_output
    return Tokens(likely, most, output)


def cost_of(usage: Usage, prices: Prices) -> Decimal:
    """What tokens cost, exactly."""
    spent = _EXACT.add(
        _EXACT.multiply(Decimal(usage.input_tokens), prices.input_per_million),
        _EXACT.multiply(Decimal(usage.output_tokens), prices.output_per_million),
    )
    return _EXACT.scaleb(spent, -6)


def likely_cost(tokens: Tokens, prices: Prices) -> Decimal:
    """What requests are likely to cost, if their answers are as long as they may be."""
    return cost_of(Usage(tokens.likely_input, tokens.most_output), prices)


def most_cost(tokens: Tokens, prices: Prices) -> Decimal:
    """What requests cost at most."""
    return cost_of(Usage(tokens.most_input, tokens.most_output), prices)


def cost_text(cost: Decimal) -> str:
    """A cost as text: at least 4 places, at most 8, rounded up."""
    places = min(max(_FEWEST_PLACES, -_exponent(cost)), _MOST_PLACES)
    return f"{cost.quantize(Decimal(1).scaleb(-places), ROUND_CEILING, context=_EXACT):f}"


def total(usages: Iterable[Usage]) -> Usage:
    """The sum of tokens."""
    listed = list(usages)
    return Usage(sum(one.input_tokens for one in listed), sum(one.output_tokens for one in listed))


def _exponent(cost: Decimal) -> int:
    exponent = cost.normalize(_EXACT).as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
