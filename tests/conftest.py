"""What all tests share: their order, and no haste."""

from __future__ import annotations

import pytest
from hypothesis import settings


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow ones: whatever runs beside them is done when they are."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


# Its assertions tell as much as those of a test.
pytest.register_assert_rewrite("fault_matrix_lane")

# How long an example takes says more of the machine than of the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
