"""Drafts of the service model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from simulation.queues import Params, Queues, Refused, Row

Place = tuple[Any, ...]


class Drafts:
    """The drafts of all users: `rows` are (owner, draft) by id."""

    def __init__(self, queues: Queues, number: Callable[[], int], now: Callable[[], float]) -> None:
        self._queues = queues
        self._number = number
        self._now = now
        self.rows: dict[int, tuple[int, Row]] = {}

    def of(self, user_id: int) -> list[Row]:
        return [self._draft(i) for i, (owner, _) in sorted(self.rows.items()) if owner == user_id]

    def get(self, user_id: int, params: Params, rest: str) -> Row:
        """GET /drafts."""
        found = self.of(user_id)
        return {"count": len(found), "drafts": found}

    def add(self, user_id: int, params: Params, rest: str) -> Row:
        """POST /drafts."""
        made = []
        for draft in json.loads(params["drafts"]):
            draft_id = self._number()
            self.rows[draft_id] = (user_id, self._checked(draft))
            made.append(draft_id)
        self._tell(user_id, op="add", drafts=[self._draft(i) for i in made])
        return {"ids": made}

    def edit(self, user_id: int, params: Params, rest: str) -> Row:
        """PATCH /drafts/{id}."""
        draft_id = self._own(user_id, rest)
        self.rows[draft_id] = (user_id, self._checked(json.loads(params["draft"])))
        self._tell(user_id, op="update", draft=self._draft(draft_id))
        return {}

    def delete(self, user_id: int, params: Params, rest: str) -> Row:
        """DELETE /drafts/{id}."""
        draft_id = self._own(user_id, rest)
        del self.rows[draft_id]
        self._tell(user_id, op="remove", draft_id=draft_id)
        return {}

    # another client of a user, which is always connected

    def begin(self, user_id: int, place: Place, content: str) -> None:
        """Creates a draft."""
        kind, *where = place
        target = {
            "type": kind,
            "to": where[:1] if kind == "stream" else [i for i in where[0] if i != user_id],
        }
        draft = {**target, "topic": where[1] if kind == "stream" else "", "content": content}
        self.add(user_id, {"drafts": json.dumps([draft])}, "")

    def replace(self, draft_id: int, content: str) -> None:
        """Replaces the text of a draft."""
        owner, draft = self.rows[draft_id]
        changed = {name: draft[name] for name in ("type", "to", "topic")} | {"content": content}
        self.edit(owner, {"draft": json.dumps(changed)}, str(draft_id))

    def remove(self, draft_id: int) -> None:
        """Deletes a draft."""
        self.delete(self.rows[draft_id][0], {}, str(draft_id))

    def place(self, draft_id: int) -> Place:
        """Where the draft would be sent."""
        owner, draft = self.rows[draft_id]
        if draft["type"] == "stream":
            return ("stream", draft["to"][0], draft["topic"])
        return ("private", tuple(sorted({owner, *draft["to"]})))

    def _draft(self, draft_id: int) -> Row:
        return {"id": draft_id, **self.rows[draft_id][1]}

    def _own(self, user_id: int, rest: str) -> int:
        draft_id = int(rest)
        if self.rows.get(draft_id, (0,))[0] != user_id:
            raise Refused("BAD_REQUEST", "Draft does not exist", 404)
        return draft_id

    def _checked(self, draft: Row) -> Row:
        content = str(draft["content"]).rstrip().lstrip("\n")
        if not content:
            raise Refused("BAD_REQUEST", "Message must not be empty")
        kept = {name: draft[name] for name in ("type", "to", "topic")}
        return {**kept, "content": content, "timestamp": int(draft.get("timestamp", self._now()))}

    def _tell(self, user_id: int, **event: object) -> None:
        self._queues.tell({user_id}, {"type": "drafts", **event})
