"""Types of what the API takes and returns."""

from ._generated import *  # noqa: F403
