"""A tool whose arguments are one of our requests, described as closed to unknown names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import BaseModel

from ._schemas import input_schema, output_schema

__all__ = ["StrictTool"]

Handler = Callable[[dict[str, Any], Context[Any, Any]], Awaitable[CallToolResult]]


class StrictTool(Tool):
    """A tool whose handler reads and validates the arguments itself.

    `MCPServer` drops the arguments it does not know and publishes pydantic's own error text, so
    nothing of its argument handling is used here.
    """

    answer: Callable[[], type[BaseModel]]
    """Loads the model of the structured answer."""

    @classmethod
    def of(
        cls,
        handler: Handler,
        *,
        name: str,
        title: str,
        description: str,
        request: type[BaseModel],
        answer: Callable[[], type[BaseModel]],
        choices: Mapping[str, Sequence[str]],
        guidance: Mapping[str, str],
    ) -> StrictTool:
        """Return a read-only tool that asks `handler` with what the host sent."""
        return cls(
            fn=handler,
            name=name,
            title=None,
            description=description,
            parameters=input_schema(request, choices, guidance),
            fn_metadata=FuncMetadata(arg_model=ArgModelBase),
            is_async=True,
            context_kwarg=None,
            annotations=ToolAnnotations(
                title=title,
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=True,
            ),
            answer=answer,
        )

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """The schema of the structured answer, built when the tools are first listed."""
        return output_schema(self.answer())

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,
    ) -> CallToolResult:
        """Return the handler's result; it turns every failure into a result itself."""
        handler: Handler = self.fn
        return await handler(arguments, context)
