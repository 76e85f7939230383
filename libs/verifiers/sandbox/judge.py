# Runs the tests against an answer that runs elsewhere. What the answer returns arrives as plain values; its objects stay where they
# are and stand here as proxies, which never equal a plain value, so that no __eq__ of the answer can please a test.
#
# Descriptor 0: one line {"tests": …, "nonce": …}, then the candidate's lines. Descriptor 3: lines for the candidate.
# Descriptor 4: "up", then one line, the verdict.
import os, sys, json, builtins, unittest, io

channel_in = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
channel_out = os.fdopen(3, "w", encoding="utf-8", newline="\n")
verdict_out = os.fdopen(4, "w", encoding="utf-8", newline="\n")
sys.stdin = open("/dev/null")
callbacks = []


class AnswerEnded(BaseException):
    pass


class TestsBroken(Exception):
    pass


class RemoteError(Exception):
    pass


def exchange(message):
    try:
        channel_out.write(json.dumps(message, separators=(",", ":")) + "\n")
        channel_out.flush()
    except OSError:
        raise AnswerEnded("the answer's process ended")
    while True:
        line = channel_in.readline()
        if not line.endswith("\n"):
            raise AnswerEnded("the answer's process ended")
        try:
            answer = json.loads(line)
            kind = answer[0]
        except Exception:
            raise AnswerEnded("the answer's process wrote something else than answers")
        if kind != "callback":
            return answer
        value = callbacks[answer[1]](*[decode(each) for each in answer[2]])
        channel_out.write(json.dumps(["result", encode(value)], separators=(",", ":")) + "\n")
        channel_out.flush()


def ask(message, given=()):
    answer = exchange(message)
    if answer[0] == "value":
        for mine, left in zip(given, answer[2]):
            if left is not None:
                restore(mine, decode(left))
        return decode(answer[1])
    if answer[0] == "raised":
        raise known_error(answer[3])(answer[2])
    raise AnswerEnded("the answer's process wrote something else than answers")


def known_error(names):
    for name in names:
        kind = getattr(builtins, str(name), None)
        if isinstance(kind, type) and issubclass(kind, Exception) and kind is not Exception:
            return RemoteError if issubclass(kind, (ImportError, SyntaxError)) else kind
    return RemoteError


def restore(mine, left):
    if isinstance(mine, list) and isinstance(left, list):
        mine[:] = left
    elif isinstance(mine, (dict, set)) and type(mine) is type(left):
        mine.clear()
        mine.update(left)


class Remote:
    __slots__ = ("_Remote__id", "_Remote__name")

    def __init__(self, number, name):
        object.__setattr__(self, "_Remote__id", number)
        object.__setattr__(self, "_Remote__name", name)

    def __getattr__(self, name):
        if name.startswith("__") and name not in ("__name__", "__doc__"):
            raise AttributeError(name)
        return op("getattr", self, name)

    def __setattr__(self, name, value):
        op("setattr", self, name, value)

    def __call__(self, *args, **kwargs):
        encoded = {key: encode(each) for key, each in kwargs.items()}
        return ask(["call", encode(self), "", [encode(each) for each in args], encoded], args)

    def __len__(self):
        return int(op("len", self))

    def __str__(self):
        return str(op("str", self))

    def __repr__(self):
        return str(op("repr", self))

    def __iter__(self):
        return RemoteIterator(op("iter", self))

    def __next__(self):
        return op("next", self)

    def __getitem__(self, key):
        return op("getitem", self, key)

    def __setitem__(self, key, value):
        op("setitem", self, key, value)

    def __contains__(self, value):
        return op("contains", self, value) is True

    def __bool__(self):
        return True

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return isinstance(other, Remote) and op("eq", self, other) is True

    def __ne__(self, other):
        return not self == other

    def __instancecheck__(self, value):
        return isinstance(value, Remote) and op("isinstance", value, self) is True


class RemoteIterator:
    def __init__(self, remote):
        self.remote = remote

    def __iter__(self):
        return self

    def __next__(self):
        return op("next", self.remote) if isinstance(self.remote, Remote) else next(self.remote)


def between_remotes(name):
    def operation(self, other):
        if not isinstance(other, Remote):
            return NotImplemented
        return op(name, self, other)
    return operation


for _name in ("lt", "le", "gt", "ge", "add", "sub", "mul", "truediv"):
    setattr(Remote, f"__{_name}__", between_remotes(_name))


def op(name, target, *args):
    return ask(["op", name, encode(target), [encode(each) for each in args]])


def encode(value):
    if value is None or value is True or value is False:
        return ["c", value]
    if isinstance(value, Remote):
        return ["h", object.__getattribute__(value, "_Remote__id")]
    if isinstance(value, int):
        return ["i", str(value)]
    if isinstance(value, float):
        return ["f", value.hex()]
    if isinstance(value, complex):
        return ["z", value.real.hex(), value.imag.hex()]
    if isinstance(value, str):
        return ["s", value.encode("utf-8", "surrogatepass").hex()]
    if isinstance(value, (bytes, bytearray)):
        return ["b", bytes(value).hex()]
    for tag, known in (("l", list), ("t", tuple), ("e", set), ("r", frozenset)):
        if isinstance(value, known):
            return [tag, [encode(each) for each in value]]
    if isinstance(value, dict):
        return ["d", [[encode(k), encode(v)] for k, v in value.items()]]
    if isinstance(value, type) and getattr(builtins, value.__name__, None) is value:
        return ["n", value.__name__]
    if callable(value):
        callbacks.append(value)
        return ["k", len(callbacks) - 1]
    if hasattr(value, "__iter__"):
        return encode(list(value))
    raise TypeError(f"a test passes a {type(value).__name__}, which cannot be handed to the answer")


def decode(value, depth=0):
    if depth > 70:
        raise AnswerEnded("the answer returned a value that is nested too deeply")
    tag = value[0]
    if tag == "c":
        return {None: None, True: True, False: False}[value[1]]
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
    if tag in ("l", "t", "e", "r"):
        return {"l": list, "t": tuple, "e": set, "r": frozenset}[tag](decode(each, depth + 1) for each in value[1])
    if tag == "d":
        return {decode(k, depth + 1): decode(v, depth + 1) for k, v in value[1]}
    if tag == "h":
        return Remote(int(value[1]), str(value[3]))
    raise AnswerEnded("the answer's process wrote something else than answers")


def compiled(tests):
    try:
        return compile(tests, "tests.py", "exec")
    except SyntaxError as error:
        raise TestsBroken(str(error))


def run(tests, names):
    scope = {"__name__": "tests", "__builtins__": builtins, **names}
    exec(tests, scope)
    ran = []
    for value in list(scope.values()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            ran.append(value)
    if ran:
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(each) for each in ran)
        result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
        if not result.wasSuccessful():
            first = (result.failures + result.errors)[0]
            return f"{len(result.failures) + len(result.errors)} of {result.testsRun} tests failed: {first[0]}"
        if result.testsRun == 0:
            raise TestsBroken("a TestCase without tests")
        return None
    functions = [value for name, value in list(scope.items()) if name.startswith("test_") and type(value).__name__ == "function"]
    for function in functions:
        function()
    return None


def main():
    verdict_out.write("up\n")
    verdict_out.flush()
    first = json.loads(channel_in.readline())
    sys.stdout = sys.stderr = io.StringIO()
    try:
        line = channel_in.readline()
        hello = json.loads(line) if line.endswith("\n") else None
        if not isinstance(hello, list) or hello[0] not in ("ready", "failed"):
            status, detail = "failed", "the answer's process ended before it was ready"
        elif hello[0] == "failed":
            status, detail = "failed", f"the answer's code does not run: {hello[1]}: {hello[2]}"
        else:
            names = {str(name): decode(value) for name, value in hello[1].items()}
            try:
                fault = run(compiled(first["tests"]), names)
                status, detail = ("passed", "all tests passed") if fault is None else ("failed", fault)
            except AssertionError as error:
                status, detail = "failed", f"a test failed: {str(error)[:300]}" if str(error) else "a test failed"
            except (TestsBroken, ImportError) as error:
                status, detail = "broken", f"the tests do not run: {error}"
            except AnswerEnded as error:
                status, detail = "failed", str(error)
            except RecursionError:
                status, detail = "failed", "a test exceeded the depth of recursion"
            except BaseException as error:
                status, detail = "failed", f"a test raised {type(error).__name__}: {str(error)[:300]}"
    except Exception as error:
        status, detail = "failed", f"the answer's process wrote something else than answers ({type(error).__name__})"
    verdict_out.write(json.dumps({"nonce": first["nonce"], "status": status, "detail": detail}) + "\n")
    verdict_out.flush()
    os._exit(0)


main()
