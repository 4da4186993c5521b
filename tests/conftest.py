"""The order of tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow ones: whatever runs beside them is done when they are."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


# Its assertions tell as much as those of a test.
pytest.register_assert_rewrite("fault_matrix_lane")
