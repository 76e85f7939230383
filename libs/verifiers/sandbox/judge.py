# Runs the tests against an answer that runs elsewhere. Three rules keep the answer out of what the tests say:
#   - A name of the tests means what the tests or the language say. Only where neither knows it is the answer asked (Names).
#   - What the answer returns arrives as plain values of this process's own types. Its objects stay where they are and stand here as
#     proxies (Remote), which never equal a plain value and are not asked about the tests' expectations.
#   - Whether the tests can be used at all is found out before the answer is heard (rehearsal). From then on every end but "passed" is
#     the answer's failure.
#
# Descriptor 0: one line {"tests", "nonce", "entryPoint", "inPlace"}, then the candidate's lines. Descriptor 3: lines for the candidate.
# Descriptor 4: "up", "rehearsed", then one line, the verdict.
import os, sys, json, ast, builtins, collections, datetime, decimal, fractions, importlib.util, io, re

channel_in = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
channel_out = os.fdopen(3, "w", encoding="utf-8", newline="\n")
verdict_out = os.fdopen(4, "w", encoding="utf-8", newline="\n")
sys.stdin = open("/dev/null")

DEPTH = 201
ITEMS = 1_000_000
# What tests use as `math.isclose` and the like without importing it is the library's, whatever the answer calls so.
LIBRARY = set(
    "math cmath re json itertools functools collections operator random string datetime statistics copy heapq bisect typing "
    "fractions decimal sys os time".split()
)
# Likewise these of its names; other names of the library may be what an answer is asked for.
LIBRARY_NAMES = {
    "isclose": "math", "deepcopy": "copy", "Counter": "collections", "defaultdict": "collections", "OrderedDict": "collections",
    "deque": "collections", "namedtuple": "collections", "Fraction": "fractions", "Decimal": "decimal", "timedelta": "datetime",
}
# What is not of the library. Tests that need it without importing it do not run; an answer must not bring it instead.
FRAMEWORKS = set("np numpy pd pandas pytest plt torch scipy sympy mock".split())
# Questions with an expectation in them that a text, list or set answers by itself: an object that says yes to each would pass.
PREDICATES = {name for kind in (str, bytes, set, list, dict) for name in dir(kind) if name.startswith("is")} | {
    "startswith", "endswith", "find", "rfind", "index", "rindex", "count",
}
MAKER = re.compile(r"[A-Z]|(?:make|create|build|new)(?:_|[A-Z])")
# Methods that make an object of their class: Stack.from_list(…), stack.copy().
MAKING = re.compile(MAKER.pattern + r"|from_|(?:of|copy|clone|union|intersection|difference)$")
# How far the tests made an object on purpose: by hand a class or factory that they named, what these made, what that hands out (methods'
# results, attributes, items), and data. An object in the place of data has no operator that would be told an expectation.
MAKES, MADE, HANDED, DATA = 3, 2, 1, 0
# The difference of a made object and a number. Its size is not asked for: `abs(x - 12.5)` would have told it what is expected.
SEALED = -1


class AnswerEnded(BaseException):
    """The answer's process ended or wrote something else than answers. Final: no test can catch it and pass."""


class TestsBroken(Exception):
    """The tests are at fault. Raised only before the answer is heard."""


class Left(SystemExit):
    """The answer called exit, which is no exit of the tests."""


class RemoteError(Exception):
    """An error that the answer raised and that has no type here."""


class State:
    callbacks = []
    errors = {}
    rehearsing = False
    asked = False
    objects = []
    # Code of the tests that asserts something and was handed to the answer, until it is called.
    owed = {}
    ended = None
    failed_inside = None
    assertions = 0
    in_place_always = False


def ended(why):
    State.ended = State.ended or why
    return AnswerEnded(why)


def exchange(message):
    if State.ended:
        raise AnswerEnded(State.ended)
    try:
        channel_out.write(json.dumps(message, separators=(",", ":")) + "\n")
        channel_out.flush()
        line = channel_in.readline()
    except OSError:
        raise ended("the answer's process ended")
    except ValueError:
        raise ended("the answer's process wrote something else than answers")
    if not line.endswith("\n"):
        raise ended("the answer's process ended")
    try:
        answer = json.loads(line)
        if answer[0] == "raised":
            _, text, names, printed = answer
            return "raised", str(text), [str(each) for each in names[:DEPTH]], str(printed)
        if answer[0] == "value":
            _, value, left, printed = answer
            return "value", value, list(left), str(printed)
        if answer[0] == "callback":
            _, number, args, named = answer
            given = [decode(each) for each in args], {str(key): decode(each) for key, each in named.items()}
            return "callback", State.callbacks[number], given, ""
        if answer[0] in ("read", "write"):
            return answer[0], State.objects[answer[1]], (str(answer[2]), *(decode(each) for each in answer[3:])), ""
        if answer[0] == "missing":
            return "missing", None, None, ""
    except AnswerEnded:
        raise
    except Exception:
        pass
    raise ended("the answer's process wrote something else than answers")


def ask(message, given=(), typed=DATA):
    """The value of what the answer is asked. Lists, dicts and sets in `given` are left as a procedure of the answer left them."""
    State.asked = True
    kind, value, more, printed = exchange(message)
    while kind in ("callback", "read", "write"):
        kind, value, more, printed = exchange(called_back(value, *more) if kind == "callback" else at_object(kind, value, *more))
    sys.stdout.write(printed)
    if kind == "missing":
        raise KeyError(message[1])
    if kind == "raised":
        raise known_error(more, value, message)
    try:
        result = decode(value, typed=typed)
        if given and (result is None or State.in_place_always):
            for mine, sent, left in zip(given, message[3], more):
                if left is not None and left != sent:
                    restore(mine, decode(left))
    except AnswerEnded:
        raise
    except Exception:
        raise ended("the answer's process wrote something else than answers")
    return result


def called_back(function, args, named):
    State.owed.pop(getattr(function, "__code__", None), None)
    return answered(lambda: function(*args, **named))


def at_object(kind, target, name, *value):
    """What the answer reads or writes of an object of the tests: its public attributes, which lead nowhere else."""
    if name.startswith("_"):
        return ["threw", "AttributeError", name]
    return answered(lambda: getattr(target, name) if kind == "read" else setattr(target, name, *value))


def answered(action):
    try:
        return ["result", encode(action())]
    except Exception as error:
        if isinstance(error, AssertionError):
            State.failed_inside = State.failed_inside or error
        kind = next(each.__name__ for each in type(error).__mro__ if getattr(builtins, each.__name__, None) is each)
        return ["threw", kind, str(error)[:500]]


def known_error(names, text, message):
    """The error that the answer raised, by the first of its types that this process knows. An end of iteration ends only an iteration."""
    for at in range(len(names)):
        kind = error_class(names[at:])
        if kind is None or kind is Exception:
            break
        if issubclass(kind, (StopIteration, StopAsyncIteration)) and message[:2] != ["op", "next"]:
            return RuntimeError(f"the answer raised {names[0]}")
        try:
            return kind(text)
        except TypeError:
            continue
    return RemoteError(text)


def error_class(names):
    """
    The error class of these names, own first, the language's last; None for what is no Exception. Classes of the answer become classes
    of this process, since `except` and assertRaises need one.
    """
    if not names:
        return None
    kind = getattr(builtins, names[0], None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return Left if kind is SystemExit else kind if issubclass(kind, Exception) else None
    base = error_class(names[1:])
    if base is None:
        return None
    known = State.errors.get(names[0])
    return known if known is not None else State.errors.setdefault(names[0], type(names[0], (base,), {}))


def restore(mine, left):
    if isinstance(mine, (list, bytearray)) and isinstance(left, (list, bytes)):
        mine[:] = left
    elif isinstance(mine, collections.deque) and isinstance(left, collections.deque):
        mine.clear()
        mine.extend(left)
    elif isinstance(mine, (dict, set)) and isinstance(left, (dict, set)):
        mine.clear()
        mine.update(left)


class Remote:
    """
    A function, class or object of the answer. Operators are the answer's only for what the tests made on purpose: instances of a class
    (a name with a capital letter) or of a factory (make_stack()). What these hand out has operators among objects of the answer alone.
    What any other function returns is meant to be data; an object in its place may be called, read and iterated, but has no say in a
    comparison.
    """

    __slots__ = ("_Remote__id", "_Remote__sort", "_Remote__typed")

    def __init__(self, number, sort, typed):
        object.__setattr__(self, "_Remote__id", number)
        object.__setattr__(self, "_Remote__sort", sort)
        object.__setattr__(self, "_Remote__typed", typed)

    def __getattr__(self, name):
        if name.startswith("__") and name not in ("__name__", "__doc__"):
            raise AttributeError(name)
        if name in PREDICATES and self.__typed < MADE:
            raise AttributeError(f"the answer returned an object, which is not asked {name}")
        handed = min(self.__typed, HANDED) if self.__typed != SEALED else HANDED
        return op("getattr", self, name, typed=MAKES if self.__typed >= MADE and MAKING.match(name) else handed)

    def __setattr__(self, name, value):
        op("setattr", self, name, value)

    def __call__(self, *args, **kwargs):
        encoded = {key: encode(each) for key, each in kwargs.items()}
        return ask(["call", encode(self), "", [encode(each) for each in args], encoded], args, self.__typed - 1 if self.__typed > HANDED else self.__typed)

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

    def __delitem__(self, key):
        op("delitem", self, key)

    def __enter__(self):
        return op("enter", self, typed=self.__typed)

    def __exit__(self, *_):
        op("exit", self)

    def __contains__(self, value):
        if self.__typed == MADE:
            return op("contains", self, value) is True
        return any(each == value for each in self)

    def __bool__(self):
        return op("bool", self) is True if self.__typed and self.__sort == "object" else True

    def __hash__(self):
        return self.__id

    def __eq__(self, other):
        if not isinstance(other, Remote):
            return self.__typed >= MADE and self.__sort == "copy" and op("plain", self) == other
        return self.__id == other.__id or (self.__typed and other.__typed and op("eq", self, other) is True)

    def __ne__(self, other):
        return not self == other

    def __instancecheck__(self, value):
        return isinstance(value, Remote) and op("isinstance", value, self) is True

    def __subclasscheck__(self, value):
        return isinstance(value, Remote) and op("issubclass", value, self) is True


class RemoteIterator:
    """Ends after a million items: more than a test looks at, and an end for `in`."""

    def __init__(self, remote):
        self.remote = iter(remote) if not isinstance(remote, Remote) else remote
        self.left = ITEMS

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise ended(f"the answer was iterated more than {ITEMS} times")
        return next(self.remote)


def between_typed(name, also_plain):
    def operation(self, other):
        if not self._Remote__typed:
            return NotImplemented
        if isinstance(other, Remote):
            return op(name, self, other) if other._Remote__typed else NotImplemented
        if not also_plain or self._Remote__typed < MADE:
            return NotImplemented
        result = op(name, self, other, typed=SEALED if name.endswith("sub") else MADE)
        # What is no number itself makes no number with a number.
        return result if isinstance(result, Remote) else NotImplemented
    return operation


def unary(name):
    def operation(self):
        if self._Remote__typed == SEALED:
            raise TypeError("the difference of an object of the answer and a number has no size")
        return op(name, self)
    return operation


for _name in ("lt", "le", "gt", "ge"):
    setattr(Remote, f"__{_name}__", between_typed(_name, False))
for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul"):
    setattr(Remote, f"__{_name}__", between_typed(_name, True))
for _name in ("neg", "abs", "int", "float"):
    setattr(Remote, f"__{_name}__", unary(_name))


def op(name, target, *args, typed=None):
    """@param typed of the result; default what it hands out"""
    handed = HANDED if target._Remote__typed else DATA
    return ask(["op", name, encode(target), [encode(each) for each in args]], typed=handed if typed is None else typed)


def encode(value):
    if value is None or value is True or value is False:
        return ["c", value]
    if value is Ellipsis or value is NotImplemented:
        return ["n", "Ellipsis" if value is Ellipsis else "NotImplemented"]
    if isinstance(value, Remote):
        return ["h", value._Remote__id]
    if isinstance(value, int):
        return ["i", format(int(value), "x")]
    if isinstance(value, float):
        return ["f", value.hex()]
    if isinstance(value, complex):
        return ["z", value.real.hex(), value.imag.hex()]
    if isinstance(value, str):
        return ["s", value.encode("utf-8", "surrogatepass").hex()]
    if isinstance(value, (bytes, bytearray)):
        return ["b", bytes(value).hex()]
    for tag, known in (("l", list), ("t", tuple), ("e", set), ("r", frozenset), ("q", collections.deque)):
        if isinstance(value, known):
            return [tag, [encode(each) for each in value]]
    if isinstance(value, dict):
        return ["d", [[encode(k), encode(v)] for k, v in value.items()]]
    if isinstance(value, range):
        return ["x", *(encode(each) for each in (value.start, value.stop, value.step))]
    if isinstance(value, fractions.Fraction):
        return ["p", encode(value.numerator), encode(value.denominator)]
    if isinstance(value, decimal.Decimal):
        return ["m", str(value)]
    if type(value) in (datetime.datetime, datetime.date, datetime.time):
        return ["a", type(value).__name__, value.isoformat()]
    if isinstance(value, datetime.timedelta):
        return ["y", value.days, value.seconds, value.microseconds]
    if isinstance(value, type) and getattr(builtins, value.__name__, None) is value:
        return ["n", value.__name__]
    if type(value).__module__ == "__main__" and not isinstance(value, type):
        # An instance of a class of the tests, the same one each time.
        at = next((at for at, each in enumerate(State.objects) if each is value), len(State.objects))
        State.objects[at:] = State.objects[at:] or [value]
        return ["o", at]
    if callable(value):
        code = getattr(value, "__code__", None)
        if code is not None and any(name == "__assertion__" or name.startswith("assert") for name in code.co_names):
            State.owed.setdefault(code, value.__name__)
        State.callbacks.append(value)
        return ["k", len(State.callbacks) - 1]
    if hasattr(value, "__iter__"):
        return encode(list(value))
    raise TypeError(f"a test passes a {type(value).__name__}, which cannot be handed to the answer")


def decode(value, depth=0, typed=DATA):
    if depth > DEPTH:
        raise ended("the answer returned a value that is nested too deeply")
    tag = value[0]
    if tag == "c":
        return {None: None, True: True, False: False}[value[1]]
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
    if tag in ("l", "t", "e", "r", "q"):
        kind = {"l": list, "t": tuple, "e": set, "r": frozenset, "q": collections.deque}[tag]
        return kind(decode(each, depth + 1, typed) for each in value[1])
    if tag == "d":
        return {decode(k, depth + 1, typed): decode(v, depth + 1, typed) for k, v in value[1]}
    if tag == "x":
        return range(*(int(each[1], 16) for each in value[1:]))
    if tag == "p":
        return fractions.Fraction(int(value[1][1], 16), int(value[2][1], 16))
    if tag == "m":
        return decimal.Decimal(str(value[1]))
    if tag == "a":
        return {"datetime": datetime.datetime, "date": datetime.date, "time": datetime.time}[value[1]].fromisoformat(value[2])
    if tag == "y":
        return datetime.timedelta(*(int(each) for each in value[1:]))
    if tag == "n":
        return {"Ellipsis": Ellipsis, "NotImplemented": NotImplemented}[value[1]]
    if tag == "o":
        return State.objects[value[1]]
    if tag == "u":
        fields = [str(each) for each in value[2]]
        return collections.namedtuple("Record", fields, rename=True)(*(decode(each, depth + 1, typed) for each in value[1]))
    if tag == "w":
        return Remote(int(value[2]), "copy", typed) if typed >= MADE else decode(value[1], depth + 1, typed)
    if tag == "h" and value[2] == "error":
        return caught_as(error_class([str(each) for each in value[3][:DEPTH]]) or RemoteError)
    if tag == "h" and value[2] == "await":
        return waiting(Remote(int(value[1]), "object", typed))
    if tag == "h":
        return Remote(int(value[1]), str(value[2]), typed)
    raise ended("the answer's process wrote something else than answers")


def caught_as(kind):
    """A class of errors that the answer hands out. None that a failed assertion is an instance of: `except` would swallow it."""
    return RemoteError if issubclass(AssertionError, kind) else kind


async def waiting(remote):
    return op("await", remote)


class Names(dict):
    """
    The language's own names, and behind them the answer's. Python looks a name up among the tests' own first and here second
    (https://docs.python.org/3/reference/executionmodel.html#builtins-and-restricted-execution), so neither can be replaced.
    """

    def __init__(self, tree, entry):
        super().__init__(vars(builtins), __assertion__=count, __failure__=count)
        names = collections.Counter(each.id for each in ast.walk(tree) if isinstance(each, ast.Name))
        bases = collections.Counter(each.value.id for each in ast.walk(tree) if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name))
        for name in LIBRARY & set(names):
            if names[name] == bases[name] and name != entry:
                self[name] = __import__(name)
        for name in set(LIBRARY_NAMES) & set(names) - {entry}:
            self[name] = getattr(__import__(LIBRARY_NAMES[name]), name)

    def __missing__(self, name):
        if name.startswith("__") or name == "_":
            raise KeyError(name)
        State.asked = True
        if State.rehearsing:
            raise KeyError(name)
        value = ask(["name", name], typed=MAKES if MAKER.match(name) else DATA)
        if isinstance(value, Remote) or isinstance(value, type):
            self[name] = value
        return value


class Nothing:
    """Stands for the answer in a rehearsal: there is nothing there."""

    def __call__(self, *_, **__):
        State.asked = True
        raise NameError("there is no answer in a rehearsal")

    __getattr__ = __iter__ = __getitem__ = __len__ = __call__


def count():
    State.assertions += 1


class Counting(ast.NodeTransformer):
    def visit_Assert(self, node):
        # `assert False` marks where nobody should come.
        never = isinstance(node.test, ast.Constant) and not node.test.value
        call = ast.Expr(ast.Call(ast.Name("__failure__" if never else "__assertion__", ast.Load()), [], []))
        return [ast.copy_location(call, node), node]


def counted(method):
    def assertion(*args, **kwargs):
        count()
        return method(*args, **kwargs)
    return assertion


def counting_unittest():
    """The library, its assertions counted; imported only for tests that speak of it, since that takes a while."""
    import unittest
    for name in dir(unittest.TestCase):
        if name.startswith("assert"):
            setattr(unittest.TestCase, name, counted(getattr(unittest.TestCase, name)))
    unittest.main = lambda *_, **__: None


class Tests:
    def __init__(self, text):
        self.examples = None
        try:
            self.tree = ast.parse(text, "tests.py")
        except (SyntaxError, ValueError) as error:
            if not re.search(r"^\s*>>> ", text, re.M):
                raise TestsBroken(str(error))
            self.tree = ast.parse("")
            self.examples = [("tests", text)]
        except (RecursionError, MemoryError) as error:
            raise TestsBroken(f"{type(error).__name__}: {error}")
        walk = list(ast.walk(self.tree))
        calls = [each.func for each in walk if isinstance(each, ast.Call)]
        asserts = any(isinstance(each, ast.Assert) for each in walk) or any(
            isinstance(each, ast.Attribute) and (each.attr.startswith("assert") or each.attr == "fail") for each in calls
        )
        self.raises = any(isinstance(each, ast.Raise) for each in walk) or any(
            isinstance(each, ast.Name) and each.id == "exit" or isinstance(each, ast.Attribute) and each.attr in ("exit", "_exit") for each in calls
        )
        checks = [each for each in self.tree.body if isinstance(each, ast.FunctionDef) and each.name == "check" and each.args.args]
        self.is_check = bool(checks) and not any(isinstance(each, ast.Name) and each.id == "check" for each in calls)
        if self.examples is None and not asserts and not self.raises:
            documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
            texts = [(getattr(each, "name", "tests"), ast.get_docstring(each)) for each in walk if isinstance(each, documented)]
            self.examples = [(name, text) for name, text in texts if text and ">>> " in text]
            if not self.examples:
                raise TestsBroken("they assert nothing")
        missing_names(self.tree)
        if "unittest" in text:
            counting_unittest()
        self.code = compile(ast.fix_missing_locations(Counting().visit(self.tree)), "tests.py", "exec")

    def run(self, entry, entry_value):
        """None where they pass, else a sentence about the first that does not. Raises what a test raises."""
        scope = {"__name__": "__main__", "__builtins__": Names(self.tree, entry)}
        if entry is not None:
            value = entry_value()
            if value is not None:
                scope[entry] = value
        try:
            exec(self.code, scope)
        except Left:
            raise
        except SystemExit as error:
            if error.code not in (None, 0, False):
                return f"the tests exited with {str(error.code)[:300]}"
        if self.is_check:
            scope["check"](entry_value())
        for runner in (run_cases, run_classes, run_functions):
            fault = runner(scope)
            if fault is not None:
                return fault
        for name, text in self.examples or ():
            fault = run_examples(name, text, scope)
            if fault is not None:
                return fault
        if State.assertions == 0 and not self.raises and not State.rehearsing:
            return "no assertion ran"
        if State.owed and not State.rehearsing:
            return f"the answer never called {next(iter(State.owed.values()))}, which asserts something"
        return None


def missing_names(tree):
    """Whether what the tests import is there is their own matter and settled here, but for what they import in a try."""
    tried = {id(inner) for each in ast.walk(tree) if isinstance(each, ast.Try) for inner in ast.walk(each)}
    for each in ast.walk(tree):
        names = [alias.name for alias in each.names] if isinstance(each, ast.Import) else [each.module] if isinstance(each, ast.ImportFrom) else []
        for name in names:
            if id(each) not in tried and not is_there(name):
                raise TestsBroken(f"No module named '{name}'")
    names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    bound = {each.id for each in names if not isinstance(each.ctx, ast.Load)} | imported(tree)
    for name in sorted({each.id for each in names} & FRAMEWORKS - bound):
        raise TestsBroken(f"name '{name}' is not defined")


def imported(tree):
    found = [alias for each in ast.walk(tree) if isinstance(each, (ast.Import, ast.ImportFrom)) for alias in each.names]
    return {(alias.asname or alias.name).split(".")[0] for alias in found}


def is_there(name):
    try:
        return name is not None and importlib.util.find_spec(name.split(".")[0]) is not None
    except ValueError:
        return False


def run_cases(scope):
    if "unittest" not in sys.modules:
        return None
    import unittest
    cases = [value for value in list(scope.values()) if isinstance(value, type) and issubclass(value, unittest.TestCase) and value is not unittest.TestCase]
    if not cases:
        return None
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(each) for each in dict.fromkeys(cases))
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    if not result.wasSuccessful():
        first = (result.failures + result.errors + [(each, "") for each in result.unexpectedSuccesses])[0]
        return f"{len(result.failures) + len(result.errors)} of {result.testsRun} tests failed: {first[0]}"
    return None


def run_classes(scope):
    for value in list(scope.values()):
        if type(value) is type and value.__name__.startswith("Test") and not hasattr(value, "assertEqual"):
            for name in [name for name in dir(value) if name.startswith("test_")]:
                case = value()
                getattr(case, "setup_method", lambda *_: None)()
                getattr(case, name)()
    return None


def run_functions(scope):
    for name, value in list(scope.items()):
        if name.startswith("test_") and type(value).__name__ == "function":
            value()
    return None


def run_examples(name, text, scope):
    import doctest
    examples = doctest.DocTestParser().get_doctest(text, scope, name, "tests.py", 0)
    report = []
    result = doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    State.assertions += sum(1 for each in examples.examples if each.want)
    if result.failed:
        return f"{result.failed} of {result.attempted} examples failed"
    return None


def guarded(action):
    """A sentence about why the tests do not pass, or None."""
    try:
        fault = action()
        if State.failed_inside is not None:
            raise State.failed_inside
        return State.ended or fault
    except AssertionError as error:
        return f"a test failed: {str(error)[:300]}" if str(error) else "a test failed"
    except AnswerEnded as error:
        return str(error)
    except RecursionError:
        return "a test exceeded the depth of recursion"
    except NameError as error:
        return f"the answer has no {error.name}" if getattr(error, "name", None) else f"a test raised {error}"
    except BaseException as error:
        return State.ended or f"a test raised {type(error).__name__}: {str(error)[:300]}"


def rehearse(tests, entry):
    """Raises TestsBroken where they cannot tell a right answer from none. In a process of its own, of which nothing stays."""
    out, back = os.pipe()
    child = os.fork()
    if child == 0:
        State.rehearsing = True
        fault = guarded(lambda: tests.run(entry, Nothing))
        why = ""
        if not State.asked:
            why = f"{fault}, before the answer is asked anything" if fault else "they ask nothing of the answer; name what it defines, or set entryPoint"
        elif fault is None:
            why = "they pass without an answer"
        os.write(back, b"." + why.encode("utf-8", "replace")[:1000])
        os._exit(0)
    os.close(back)
    said = b""
    while chunk := os.read(out, 4096):
        said += chunk
    os.close(out)
    os.waitpid(child, 0)
    if not said.startswith(b"."):
        raise TestsBroken("they end their own process")
    if said != b".":
        raise TestsBroken(said[1:].decode("utf-8", "replace"))


def entry_of(entry):
    """What the answer calls so; without a name its only function."""
    if entry is None:
        names = ask(["functions"])
        if not isinstance(names, list) or len(names) != 1:
            raise AssertionError("the answer does not define one function alone, and the problem's entryPoint does not say which is meant")
        entry = str(names[0])
    try:
        return ask(["name", entry], typed=MAKES if MAKER.match(entry) else DATA)
    except KeyError:
        raise AssertionError(f"the answer has no {entry}")


def judge(first):
    """Status and detail."""
    entry = first.get("entryPoint")
    State.in_place_always = first.get("inPlace") == "always"
    try:
        tests = Tests(first["tests"])
        rehearse(tests, entry)
    except TestsBroken as error:
        return "broken", f"the tests do not run: {error}"
    verdict_out.write("rehearsed\n")
    verdict_out.flush()
    try:
        line = channel_in.readline()
        hello = json.loads(line) if line.endswith("\n") else ["ended"]
        if hello[0] == "failed":
            return "failed", f"the answer's code does not run: {str(hello[1])[:100]}: {str(hello[2])[:500]}"
        if hello[0] != "ready":
            return "failed", "the answer's process ended before it was ready"
    except Exception:
        return "failed", "the answer's process wrote something else than answers"
    fault = guarded(lambda: tests.run(entry, lambda: entry_of(entry)))
    return ("passed", "all tests passed") if fault is None else ("failed", fault)


def main():
    verdict_out.write("up\n")
    verdict_out.flush()
    first = json.loads(channel_in.readline())
    sys.stdout = sys.stderr = io.StringIO()
    status, detail = judge(first)
    verdict_out.write(json.dumps({"nonce": first["nonce"], "status": status, "detail": detail}) + "\n")
    verdict_out.flush()
    os._exit(0)


main()
