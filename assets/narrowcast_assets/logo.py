"""The logo of Narrowcast: a beam that narrows to a point, as text and as a picture."""

from pathlib import Path
from typing import Final

LOGO: Final = """\
 ))
)))))))))))•
 ))"""
"""Three lines of at most 13 cells."""

LOGO_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="narrowcast">\
<rect width="64" height="64" rx="14" fill="#1d3557"/>\
<path d="M10 14 L46 30 L46 34 L10 50 Z" fill="#a8dadc"/>\
<circle cx="52" cy="32" r="5" fill="#e63946"/></svg>
"""

LOGO_FILE: Final = Path(__file__).with_name("logo.png")
"""The same picture as a PNG, 256 pixels wide."""
