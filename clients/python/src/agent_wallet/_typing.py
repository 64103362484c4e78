"""Names that `typing` of Python 3.10 lacks."""

import sys

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict
else:
    from typing_extensions import NotRequired, TypedDict

__all__ = ['NotRequired', 'TypedDict']
