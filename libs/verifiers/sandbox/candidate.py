# Runs an answer's code and lets the tests' process use what it defines. It stands in a sandbox of its own and knows neither the tests
# nor a verdict; whatever it writes is only ever the value of something that the tests asked for.
#
# Channel: one JSON array per line. In on descriptor 0, out on descriptor 3.
#   out  ["up"]                             once
#   in   {"code": …}                        once
#   out  ["ready", {name: value}]           or ["failed", kind, message]
#   in   ["call", target, name, args, kwargs]  name "" calls the target itself
#   in   ["op", name, target, args]         len, str, repr, iter, next, getitem, contains, eq, lt, add, …, isinstance
#   out  ["value", value, args]             args: lists, dicts and sets as the call left them; or ["raised", kind, message, mro]
import os, sys, json, builtins, operator

channel_in = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
channel_out = os.fdopen(os.dup(3), "w", encoding="utf-8", newline="\n")
os.close(3)
null = os.open("/dev/null", os.O_RDWR)
os.dup2(null, 0)
sys.stdin = open("/dev/null")

handles = []


def encode(value, depth=0):
    if value is None or value is True or value is False:
        return ["c", value]
    if depth > 60:
        raise ValueError("a value is nested too deeply")
    if isinstance(value, int):
        return ["i", str(int(value))]
    if isinstance(value, float):
        return ["f", float(value).hex()]
    if isinstance(value, complex):
        return ["z", value.real.hex(), value.imag.hex()]
    if isinstance(value, str):
        return ["s", str.encode(value, "utf-8", "surrogatepass").hex()]
    if isinstance(value, (bytes, bytearray)):
        return ["b", bytes(value).hex()]
    kind = type(value)
    for tag, known in (("l", list), ("t", tuple), ("e", set), ("r", frozenset)):
        if kind is known or (tag in "lt" and isinstance(value, known)):
            return [tag, [encode(each, depth + 1) for each in value]]
    if isinstance(value, dict):
        return ["d", [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in dict.items(value)]]
    handles.append(value)
    return ["h", len(handles) - 1, "class" if isinstance(value, type) else "call" if callable(value) else "object", kind.__name__]


def call_back(number):
    def callback(*args):
        send(["callback", number, [encode(each) for each in args]])
        answer = receive()
        if answer[0] != "result":
            raise RuntimeError("the tests ended the call")
        return decode(answer[1])
    return callback


def decode(value):
    tag = value[0]
    if tag == "c":
        return value[1]
    if tag == "i":
        return int(value[1])
    if tag == "f":
        return float.fromhex(value[1])
    if tag == "z":
        return complex(float.fromhex(value[1]), float.fromhex(value[2]))
    if tag == "s":
        return bytes.fromhex(value[1]).decode("utf-8", "surrogatepass")
    if tag == "b":
        return bytes.fromhex(value[1])
    if tag in "lter":
        return {"l": list, "t": tuple, "e": set, "r": frozenset}[tag](decode(each) for each in value[1])
    if tag == "d":
        return {decode(k): decode(v) for k, v in value[1]}
    if tag == "h":
        return handles[value[1]]
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


OPERATIONS = {
    "len": len, "str": str, "repr": repr, "iter": iter, "next": next, "getitem": operator.getitem, "contains": operator.contains,
    "setitem": operator.setitem, "delitem": operator.delitem, "eq": operator.eq, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
    "ge": operator.ge, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "neg": operator.neg,
    "hash": hash, "getattr": getattr, "setattr": setattr, "isinstance": isinstance,
}
MUTABLE = (list, dict, set, bytearray)


def perform(message):
    if message[0] == "call":
        _, target, name, args, kwargs = message
        holder = decode(target)
        rule = getattr(holder, name) if name else holder
    else:
        _, name, target, args = message
        rule, args, kwargs = OPERATIONS[name], [target, *args], {}
    given = [decode(each) for each in args]
    named = {key: decode(each) for key, each in kwargs.items()}
    value = rule(*given, **named)
    left = [encode(each) if isinstance(each, MUTABLE) else None for each in given]
    return ["value", encode(value), left]


def described(error):
    return ["raised", type(error).__name__, str(error)[:500], [each.__name__ for each in type(error).__mro__]]


def main():
    send(["up"])
    first = receive()
    scope = {"__name__": "answer", "__builtins__": builtins}
    try:
        exec(compile(first["code"], "answer.py", "exec"), scope)
    except BaseException as error:
        send(["failed", type(error).__name__, str(error)[:500]])
        os._exit(0)
    names = {}
    for name, value in list(scope.items()):
        if name.startswith("__") or type(value).__name__ == "module":
            continue
        try:
            names[name] = encode(value)
        except Exception:
            pass
    send(["ready", names])
    while True:
        message = receive()
        try:
            answer = perform(message)
        except BaseException as error:
            answer = described(error)
        send(answer)


main()
