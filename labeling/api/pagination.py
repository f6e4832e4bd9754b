"""Lists come newest first, in pages that stay right while rows are added."""

from __future__ import annotations

from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from labeling.digits import LARGEST, whole_number


class NewestFirst(CursorPagination):
    ordering = "-pk"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor: Cursor | None = super().decode_cursor(request)
        if cursor and cursor.position is not None and whole_number(str(cursor.position)) in {None, LARGEST}:
            raise NotFound("This cursor was not made by us.")
        return cursor
