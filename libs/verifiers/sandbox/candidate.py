# Runs an answer's code and lets the tests' process use what it defines. It stands in a sandbox of its own and knows neither the tests
# nor a verdict; whatever it writes is only ever the value of something that the tests asked for.
#
# Channel: one JSON array per line. In on descriptor 0, out on descriptor 3.
#   out  ["up"]                             once
#   in   {"code": …}                        once
#   out  ["ready"]                          or ["failed", kind, message]
#   in   ["name", name]                     what the answer calls so, else ["missing"]
#   in   ["functions"]                      names of the functions that the answer itself defines
#   in   ["call", target, name, args, kwargs]  name "" calls the target itself
#   in   ["op", name, target, args]         len, str, repr, iter, next, getitem, contains, eq, lt, add, …, isinstance
#   in   ["result", value]                  or ["threw", kind, message], after one of these, which the answer may send before its value:
#   out  ["callback", number, args, named], ["read", object, name], ["write", object, name, value]
#   out  ["value", value, args, printed]    args: lists, dicts and sets as the call left them; or ["raised", message, mro, printed]
import os, sys, io, json, builtins, collections, datetime, decimal, fractions, operator, types

channel_in = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
channel_out = os.fdopen(os.dup(3), "w", encoding="utf-8", newline="\n")
os.close(3)
null = os.open("/dev/null", os.O_RDWR)
os.dup2(null, 0)
sys.stdin = open("/dev/null")

DEPTH = 200
PRINTED = 1 << 16
handles = []
# By identity: what is the same object here is the same there.
numbers = {}
answer = types.ModuleType("answer")
sys.modules["answer"] = answer


def handle(value):
    if id(value) not in numbers:
        numbers[id(value)] = len(handles)
        handles.append(value)
    return numbers[id(value)]


def encode(value, depth=0):
    """A plain value. An instance of an answer's own class that extends a plain type is both: an object, and a copy of its value."""
    kind = type(value)
    if kind.__module__ != "answer" or not isinstance(value, COPIED):
        return encode_plain(value, depth)
    copy = encode_plain(value, depth)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        copy = ["u", copy[1], list(kind._fields)]
        if "__eq__" not in vars(kind) and kind.__base__ is tuple:
            return copy
    return ["w", copy, handle(value)]


def encode_plain(value, depth=0):
    if value is None or value is True or value is False:
        return ["c", value]
    if value is Ellipsis or value is NotImplemented:
        return ["n", "Ellipsis" if value is Ellipsis else "NotImplemented"]
    if depth > DEPTH:
        raise ValueError("a value is nested too deeply")
    if isinstance(value, int):
        return ["i", format(int(value), "x")]
    if isinstance(value, float):
        return ["f", float(value).hex()]
    if isinstance(value, complex):
        return ["z", value.real.hex(), value.imag.hex()]
    if isinstance(value, str):
        return ["s", str.encode(value, "utf-8", "surrogatepass").hex()]
    if isinstance(value, (bytes, bytearray)):
        return ["b", bytes(value).hex()]
    kind = type(value)
    for tag, known in (("l", list), ("t", tuple), ("e", set), ("r", frozenset), ("q", collections.deque)):
        if kind is known or (tag in "lt" and isinstance(value, known)):
            return [tag, [encode(each, depth + 1) for each in value]]
    if isinstance(value, dict):
        return ["d", [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in dict.items(value)]]
    if kind is range:
        return ["x", *(encode(each) for each in (value.start, value.stop, value.step))]
    if kind is fractions.Fraction:
        return ["p", encode(value.numerator), encode(value.denominator)]
    if kind is decimal.Decimal:
        return ["m", str(value)]
    if kind in (datetime.datetime, datetime.date, datetime.time) and getattr(value, "tzinfo", None) is None:
        return ["a", kind.__name__, value.isoformat()]
    if kind is datetime.timedelta:
        return ["y", value.days, value.seconds, value.microseconds]
    if kind is TestObject:
        return ["o", object.__getattribute__(value, "number")]
    if isinstance(value, type) and issubclass(value, BaseException):
        return ["h", handle(value), "error", [each.__name__ for each in value.__mro__]]
    sort = "class" if isinstance(value, type) else "await" if isinstance(value, types.CoroutineType) else "call" if callable(value) else "object"
    return ["h", handle(value), sort, kind.__name__]


def from_tests(message):
    send(message)
    result = receive()
    if result[0] != "result":
        kind = getattr(builtins, result[1], None)
        raise (kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError)(result[2])
    return decode(result[1])


class TestObject:
    """An instance of a class of the tests: its attributes are read and written there."""

    def __init__(self, number):
        object.__setattr__(self, "number", number)

    def __getattribute__(self, name):
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        return from_tests(["read", object.__getattribute__(self, "number"), name])

    def __setattr__(self, name, value):
        from_tests(["write", object.__getattribute__(self, "number"), name, encode(value)])


test_objects = {}
COPIED = (int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque)


def call_back(number):
    def callback(*args, **named):
        return from_tests(["callback", number, [encode(each) for each in args], {key: encode(each) for key, each in named.items()}])
    return callback


def decode(value):
    tag = value[0]
    if tag == "c":
        return value[1]
    if tag == "i":
        return int(value[1], 16)
    if tag == "f":
        return float.fromhex(value[1])
    if tag == "z":
        return complex(float.fromhex(value[1]), float.fromhex(value[2]))
    if tag == "s":
        return bytes.fromhex(value[1]).decode("utf-8", "surrogatepass")
    if tag == "b":
        return bytes.fromhex(value[1])
    if tag in "lterq":
        kind = {"l": list, "t": tuple, "e": set, "r": frozenset, "q": collections.deque}[tag]
        return kind(decode(each) for each in value[1])
    if tag == "d":
        return {decode(k): decode(v) for k, v in value[1]}
    if tag == "x":
        return range(*(decode(each) for each in value[1:]))
    if tag == "p":
        return fractions.Fraction(decode(value[1]), decode(value[2]))
    if tag == "m":
        return decimal.Decimal(value[1])
    if tag == "a":
        return getattr(datetime, value[1]).fromisoformat(value[2])
    if tag == "y":
        return datetime.timedelta(*value[1:])
    if tag == "h":
        return handles[value[1]]
    if tag == "o":
        return test_objects.setdefault(value[1], TestObject(value[1]))
    if tag == "k":
        return call_back(value[1])
    if tag == "n":
        return getattr(builtins, value[1])
    raise ValueError(tag)


def send(message):
    channel_out.write(json.dumps(message, separators=(",", ":")) + "\n")
    channel_out.flush()


def receive():
    line = channel_in.readline()
    if not line:
        os._exit(0)
    return json.loads(line)


def awaited(coroutine):
    import asyncio
    return asyncio.run(coroutine)


OPERATIONS = {
    "len": len, "str": str, "repr": repr, "iter": iter, "next": next, "getitem": operator.getitem, "contains": operator.contains,
    "setitem": operator.setitem, "delitem": operator.delitem, "eq": operator.eq, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
    "ge": operator.ge, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "radd": lambda a, b: b + a, "rsub": lambda a, b: b - a, "rmul": lambda a, b: b * a, "neg": operator.neg, "abs": abs, "bool": bool,
    "int": int, "float": float, "hash": hash, "getattr": getattr, "setattr": setattr, "isinstance": isinstance, "issubclass": issubclass,
    "await": awaited, "enter": lambda a: a.__enter__(), "exit": lambda a: a.__exit__(None, None, None),
}
MUTABLE = (list, dict, set, bytearray, collections.deque)


def functions():
    own = [name for name, value in vars(answer).items() if isinstance(value, types.FunctionType) and value.__module__ == "answer"]
    return encode([name for name in own if not name.startswith("_")] or own)


def perform(message):
    if message[0] == "name":
        return ["value", encode(getattr(answer, message[1])), []] if hasattr(answer, message[1]) else ["missing"]
    if message[0] == "functions":
        return ["value", functions(), []]
    if message[0] == "call":
        _, target, name, args, kwargs = message
        holder = decode(target)
        rule = getattr(holder, name) if name else holder
    else:
        _, name, target, args = message
        if name == "plain":
            return ["value", encode_plain(decode(target)), []]
        rule, args, kwargs = OPERATIONS[name], [target, *args], {}
    given = [decode(each) for each in args]
    named = {key: decode(each) for key, each in kwargs.items()}
    value = rule(*given, **named)
    left = [encode(each) if isinstance(each, MUTABLE) else None for each in given]
    return ["value", encode(value), left]


def main():
    send(["up"])
    first = receive()
    try:
        exec(compile(first["code"], "answer.py", "exec"), vars(answer))
    except BaseException as error:
        send(["failed", type(error).__name__, str(error)[:500]])
        os._exit(0)
    send(["ready"])
    while True:
        message = receive()
        sys.stdout = printed = io.StringIO()
        try:
            result = perform(message)
        except BaseException as error:
            result = ["raised", str(error)[:500], [each.__name__ for each in type(error).__mro__]]
        send(result if result[0] == "missing" else [*result, printed.getvalue()[:PRINTED]])


main()
