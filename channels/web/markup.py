"""HTML in which nothing is markup but what stands in this code, and the headers that hold browsers to it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from types import MappingProxyType

from ..visible import visible

_STYLE = """
body{margin:0;background:#f4f5f7;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif}
main{max-width:42rem;margin:2rem auto;padding:1.5rem 2rem;background:#fff;border:1px solid #d5dae0;border-radius:8px}
h1{font-size:1.25rem;margin:0 0 1rem}
blockquote{margin:0 0 1rem;padding:.25rem 0 .25rem 1rem;border-left:3px solid #9aa5b1;white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{font-weight:600;overflow-wrap:anywhere}
dd{margin:0;font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
dd.word{font-family:inherit;color:#5a6572}
fieldset{border:0;margin:0 0 1rem;padding:0}
legend{font-weight:600;padding:0;margin:0 0 .5rem}
label{display:block;padding:.25rem 0}
textarea,input[type=text]{box-sizing:border-box;width:100%;padding:.5rem;border:1px solid #9aa5b1;border-radius:4px;font:inherit}
input.number{width:8rem;letter-spacing:.2em}
button{padding:.6rem 1.4rem;border:0;border-radius:4px;background:#1f4f82;color:#fff;font:inherit;font-weight:600}
p.note{padding:.5rem .75rem;background:#fff3cd;border-radius:4px}
p.small{color:#5a6572;font-size:.875rem}
@media(prefers-color-scheme:dark){body{background:#16191d;color:#e6e8ea}main{background:#1e2227;border-color:#39414a}
p.note{background:#4d4017}textarea,input[type=text]{background:#16191d;color:inherit}}
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex, nofollow, noarchive, nosnippet",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "interest-cohort=()",
    }
)
"""Of every answer of the page's server: no script, nothing from elsewhere, nothing kept, and the link handed on to nobody."""


def page(title: str, *pieces: str) -> str:
    """A whole document of pieces that are markup already."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer">'
        f"<title>{text(title)}</title><style>{_STYLE}</style></head><body><main><h1>{text(title)}</h1>\n"
        + "\n".join(pieces)
        + "\n</main></body></html>\n"
    )


def text(words: str) -> str:
    """Words of anybody as markup: seen as they are, with everything unseen written out."""
    return escape(visible(words))


def value_of(words: str) -> str:
    """Words for an attribute that goes back to us as it is."""
    return escape(words, quote=True)


def paragraph(words: str, *, style: str = "") -> str:
    return f'<p class="{style}">{text(words)}</p>' if style else f"<p>{text(words)}</p>"
