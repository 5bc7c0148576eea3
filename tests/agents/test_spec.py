import pytest

from searchdou import agents
from searchdou.agents import Spec, make, names, register
from searchdou.agents.spec import _FACTORIES
from searchdou.errors import SearchDouError, UnknownName


@pytest.mark.parametrize(("text", "name", "settings"), [
    ("rule", "rule", ()), (" rule ", "rule", ()), ("greed:samples=40", "greed", (("samples", "40"),)),
    ("greed:samples=40,seed=2", "greed", (("samples", "40"), ("seed", "2"))),
    ("x: a = 1 , b = two ", "x", (("a", "1"), ("b", "two"))), ("x:path=a=b", "x", (("path", "a=b"),)),
])
def test_specs(text, name, settings):
    assert Spec.parse(text) == Spec(name, settings)
    assert Spec.parse(str(Spec.parse(text))) == Spec.parse(text)


@pytest.mark.parametrize(("text", "command"), [
    ("cmd:python bot.py", "python bot.py"), ("cmd: python bot.py ", "python bot.py"), ("cmd:a:b=c,d", "a:b=c,d"),
    ('cmd:"searchdou bot --agent greed:samples=3"', "searchdou bot --agent greed:samples=3"), ("cmd:'a b'", "a b"),
    ('cmd:run "my bot.py"', 'run "my bot.py"'), ('cmd:"my bot" "x y"', '"my bot" "x y"'), ("cmd:", ""),
    ("""cmd:"sh -c 'a b'\"""", "sh -c 'a b'"),
])
def test_a_command_is_kept_as_it_is(text, command):
    assert Spec.parse(text) == Spec("cmd", (("command", command),))
    assert str(Spec.parse(text)) == f"cmd:{command}"


@pytest.mark.parametrize(("text", "item"), [("greed:", ""), ("greed:40", "40"), ("greed:samples=4,", ""),
                                            ("greed:=4", "=4")])
def test_settings_are_key_and_value(text, item):
    with pytest.raises(SearchDouError, match=f"^agent '{text}': '{item}' is not key=value$"):
        Spec.parse(text)


@pytest.mark.parametrize(("game", "spec", "message"), [
    ("bridge", "random", "unknown game 'bridge'; known: doudizhu, gongzhu"),
    ("doudizhu", "greed", "unknown doudizhu agent 'greed'; known: .*random, rlcard, rule"),
    ("gongzhu", "rule", "unknown gongzhu agent 'rule'; known: greed, if, net, oracle, random"),
    ("gongzhu", "", "unknown gongzhu agent ''"), ("gongzhu", "cmd:x", "cmd:x is a program: .* matches"),
    ("gongzhu", "greed:sample=4", "unknown setting of greed 'sample'; known: samples, seed"),
    ("gongzhu", "if:seed=4", "unknown setting of if 'seed'; known: $"),
    ("gongzhu", "greed:samples=many", "agent greed:samples=many: samples takes int, not 'many'"),
    ("gongzhu", "greed:samples=2.5", "samples takes int, not '2.5'"), ("gongzhu", "greed:samples=", "takes int, not ''"),
    ("gongzhu", "greed:samples=0", "greed needs at least one sample, not 0"),
    ("doudizhu", "random:seed=x", "agent random:seed=x: seed takes int, not 'x'"),
    ("doudizhu", "net:noise=nan", "noise takes a number that is finite, not 'nan'"),
    ("gongzhu", "search:c=inf", "c takes a number that is finite, not 'inf'"),
    ("gongzhu", "oracle:sims=99999999999999999999", "sims takes a whole number below 2,147,483,648"),
    ("doudizhu", "net:noise=0,noise=1", "noise is given twice"),
    ("doudizhu", "net:noise=-5", "net: noise is a share from 0 to 1, not -5.0"),
    ("gongzhu", "net:noise=1.5", "net: noise is a share from 0 to 1, not 1.5"),
    ("doudizhu", "net:rho=-1", "rho must be at least 0"), ("doudizhu", "oracle:mix=7", "oracle: mix is a share"),
    ("gongzhu", "oracle:c=-1", "c and solve must be at least 0"), ("doudizhu", None, "named by text"),
])
def test_what_cannot_be_made(game, spec, message):
    with pytest.raises(SearchDouError, match=message):
        make(game, spec)


def test_settings_reach_the_agent():
    greed = make("gongzhu", "greed:samples=7,seed=5", seed=1)
    assert (greed.samples, greed.seed) == (7, 5)                 # the spec's own seed goes first
    assert make("gongzhu", Spec("greed"), seed=9).seed == 9
    assert (make("gongzhu", "greed").samples, make("gongzhu", "greed").seed) == (20, 0)
    assert {"random", "rule", "rlcard"} <= set(names("doudizhu"))
    assert {"random", "if", "greed"} <= set(names("gongzhu"))
    assert names("bridge") == []


@pytest.mark.parametrize(("text", "value"), [("on=yes", True), ("on=0", False), ("on=True", True), ("x=1.5", 1.5),
                                             ("x=2", 2.0), ("n=3", 3), ("word=a b", "a b")])
def test_kinds_of_settings(text, value, monkeypatch):
    class Toy:
        def __init__(self, on: bool = False, x: float | None = None, n: int | None = None, word: str = ""):
            self.__dict__.update(on=on, x=x, n=n, word=word)
    monkeypatch.setitem(_FACTORIES, ("gongzhu", "toy"), lambda: Toy)
    made = make("gongzhu", f"toy:{text}")
    assert made.__dict__[text.partition("=")[0]] == value
    for bad in ("on=maybe", "x=much", "n=1.5"):
        with pytest.raises(SearchDouError, match=f"agent toy:{bad}: {bad[0]}.* takes .*, not '{bad.partition('=')[2]}'"):
            make("gongzhu", f"toy:{bad}")


def test_a_new_agent_is_registered_by_name(monkeypatch):
    monkeypatch.setattr("searchdou.agents.spec._FACTORIES", dict(_FACTORIES))
    register("gongzhu", "mine", lambda: lambda: "a player")
    assert make("gongzhu", "mine") == "a player"
    assert "mine" in agents.names("gongzhu")
    with pytest.raises(UnknownName):
        make("doudizhu", "mine")


def test_seeds_may_be_of_any_length():
    assert make("gongzhu", f"greed:seed={10 ** 30}").seed == 10 ** 30
