"""One file an agent; `make("doudizhu", "rule")` builds one by its spec."""

from __future__ import annotations

from importlib import import_module

from searchdou.agents.spec import Factory, Player, Spec, make, names, register

__all__ = ["Player", "Spec", "make", "names", "register"]


def _later(module: str, name: str) -> Factory:
    factory: Factory = getattr(import_module(f"searchdou.agents.{module}"), name)
    return factory


for _game, _name, _module, _class in (
        ("doudizhu", "random", "random", "RandomPlayer"),
        ("doudizhu", "rule", "doudizhu_rule", "RulePlayer"),
        ("doudizhu", "rlcard", "rlcard", "RLCardPlayer"),
        ("doudizhu", "net", "doudizhu_net", "NetPlayer"),
        ("doudizhu", "oracle", "doudizhu_oracle", "OraclePlayer"),
        ("gongzhu", "random", "random", "RandomPlayer"),
        ("gongzhu", "if", "gongzhu_if", "IfPlayer"),
        ("gongzhu", "greed", "gongzhu_greed", "GreedPlayer"),
        ("gongzhu", "net", "gongzhu_net", "NetPlayer"),
        ("gongzhu", "oracle", "gongzhu_oracle", "OraclePlayer"),
        ("doudizhu", "search", "search", "SearchPlayer"),
        ("gongzhu", "search", "search", "SearchPlayer"),
):
    register(_game, _name, lambda m=_module, c=_class: _later(m, c))  # type: ignore[misc]
