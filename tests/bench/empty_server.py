"""The reference for the server: one Starlette route that reads a form and returns an empty response.

PYTHONPATH=tests python -m bench.empty_server      prints its address
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def nothing(request: Request) -> JSONResponse:
    """Reads the form and responds."""
    await request.form()
    return JSONResponse({"result": "success", "msg": ""})


def main() -> None:
    """Serves until it is killed."""
    bound = socket.socket(proto=socket.IPPROTO_TCP)  # otherwise asyncio leaves Nagle's algorithm on
    bound.bind(("127.0.0.1", 0))
    bound.listen()
    sys.stdout.write(f"http://127.0.0.1:{bound.getsockname()[1]}/\n")
    sys.stdout.flush()
    app = Starlette(routes=[Route("/", nothing, methods=["POST"])])
    uvicorn.Server(uvicorn.Config(app, access_log=False, log_config=None)).run(sockets=[bound])


if __name__ == "__main__":
    main()
