"""A stand-in for data.bnf.fr: invented records behind the one route its adapter asks."""

from __future__ import annotations

from .standin import DataBnfStandIn

__all__ = ["DataBnfStandIn"]
