"""The official Python client before the gateway: runs each case once and prints what it saw, as the cases of the npm client say it."""

import asyncio
import json
import sys

import openai
from pydantic import BaseModel

BASE, CLOSED = sys.argv[1:]
MODEL = "seam"


class Sum(BaseModel):
    total: int


TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": False,
        },
    },
}
FUNCTION = {"type": "function", **TOOL["function"]}


def client(base=BASE, retries=0, kind=openai.OpenAI):
    return kind(base_url=base, api_key="none", max_retries=retries)


def ask(case):
    return {"model": MODEL, "messages": [{"role": "user", "content": f"{case} of python"}]}


def put(case):
    return {"model": MODEL, "input": f"{case} of python"}


def whole(answer):
    choice = answer.choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason, "tokens": answer.usage.total_tokens}


def chat(case):
    answer = client().chat.completions.create(**ask(case))
    return {**whole(answer), "named": bool(answer._request_id), "prefix": answer.id[:9]}


def chat_async(case):
    async def once():
        async with client(kind=openai.AsyncOpenAI) as it:
            texts = []
            async for chunk in await it.chat.completions.create(**ask(case), stream=True):
                texts.append(chunk.choices[0].delta.content or "")
            return {"text": "".join(texts)}

    return asyncio.run(once())


def read(stream):
    chunks = list(stream)
    return {
        "text": "".join((c.choices[0].delta.content or "") for c in chunks if c.choices),
        "ids": len({c.id for c in chunks}),
        "finish": next((c.choices[0].finish_reason for c in reversed(chunks) if c.choices), None),
        "tokens": chunks[-1].usage.total_tokens if chunks[-1].usage else None,
        "bare": sum(1 for c in chunks if not c.choices),
    }


def chat_stream(case):
    raw = client().chat.completions.with_raw_response.create(**ask(case), stream=True)
    return {**read(raw.parse()), "named": bool(raw.request_id)}


def chat_stream_usage(case):
    return read(client().chat.completions.create(**ask(case), stream=True, stream_options={"include_usage": True}))


def chat_slow(case):
    return {"text": read(client().chat.completions.create(**ask(case), stream=True))["text"]}


def odd_finish(case):
    return {"finish": client().chat.completions.create(**ask(case)).choices[0].finish_reason}


def called(message):
    call = message.tool_calls[0]
    return {"text": message.content, "name": call.function.name, "arguments": json.loads(call.function.arguments)}


def tools(case):
    answer = client().chat.completions.create(**ask(case), tools=[TOOL])
    return {**called(answer.choices[0].message), "finish": answer.choices[0].finish_reason}


def tools_stream(case):
    with client().chat.completions.stream(**ask(case), tools=[TOOL]) as stream:
        answer = stream.get_final_completion()
    return {**called(answer.choices[0].message), "finish": answer.choices[0].finish_reason}


def parse(case):
    answer = client().chat.completions.parse(**ask(case), response_format=Sum)
    return {"total": answer.choices[0].message.parsed.total}


def fault(act):
    try:
        act()
    except openai.APIError as error:
        return {
            "kind": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "code": error.code,
            "param": error.param,
            "named": bool(getattr(error, "request_id", None)),
        }
    return {"kind": None}


def refused(case):
    return fault(lambda: client().chat.completions.create(**ask(case)))


def two_answers(case):
    return fault(lambda: client().chat.completions.create(**ask(case), n=2))


def unknown_model(case):
    return fault(lambda: client().chat.completions.create(**{**ask(case), "model": "none"}))


def no_key(case):
    return fault(lambda: client(CLOSED).chat.completions.create(**ask(case)))


def unknown_path(case):
    return fault(lambda: client().completions.create(model=MODEL, prompt=case))


def retried(case):
    return {"text": client(retries=2).chat.completions.create(**ask(case)).choices[0].message.content}


def not_retried(case):
    return fault(lambda: client(retries=2).chat.completions.create(**ask(case)))


def broken(case):
    kind = fault(lambda: read(client().chat.completions.create(**ask(case), stream=True)))["kind"]
    return {"kind": kind}


def left(case):
    stream = client().chat.completions.create(**ask(case), stream=True)
    for chunk in stream:
        if chunk.choices[0].delta.content:
            stream.close()
            return {"text": chunk.choices[0].delta.content}


def models(case):
    names = [model.id for model in client().models.list()]
    return {"names": names, "one": client().models.retrieve(MODEL).id, **fault(lambda: client().models.retrieve("no"))}


def embeddings(case):
    return {"vector": list(client().embeddings.create(model="tiny", input=case).data[0].embedding)}


def told(answer):
    return {
        "text": answer.output_text,
        "status": answer.status,
        "tokens": answer.usage.total_tokens,
        "prefix": answer.id[:5],
    }


def responses(case):
    answer = client().responses.create(**put(case), instructions="Be brief.")
    return {**told(answer), "named": bool(answer._request_id)}


def responses_events(case):
    return {"events": [event.type for event in client().responses.create(**put(case), stream=True)]}


def responses_stream(case):
    with client().responses.stream(**put(case)) as stream:
        for _ in stream:
            pass
        return told(stream.get_final_response())


def function_of(answer):
    item = next(item for item in answer.output if item.type == "function_call")
    return {"name": item.name, "arguments": json.loads(item.arguments), "call": item.call_id}


def responses_tools(case):
    with client().responses.stream(**put(case), tools=[FUNCTION]) as stream:
        return function_of(stream.get_final_response())


def responses_loop(case):
    first = client().responses.create(**put("responses_tools"), tools=[FUNCTION])
    items = [{"role": "user", "content": f"{case} of python"}, *first.output]
    items.append({"type": "function_call_output", "call_id": function_of(first)["call"], "output": "1"})
    return {"text": client().responses.create(model=MODEL, input=items, tools=[FUNCTION]).output_text}


def responses_parse(case):
    return {"total": client().responses.parse(**put(case), text_format=Sum).output_parsed.total}


def responses_cut(case):
    answer = client().responses.create(**put(case), max_output_tokens=1)
    return {"status": answer.status, "reason": answer.incomplete_details.reason}


def responses_stored(case):
    return fault(lambda: client().responses.create(**put(case), store=True))


def responses_continued(case):
    return fault(lambda: client().responses.create(**put(case), previous_response_id="resp_1"))


def responses_refused(case):
    return fault(lambda: client().responses.create(**put(case)))


def responses_broken(case):
    last = list(client().responses.create(**put(case), stream=True))[-1]
    return {"event": last.type, "status": last.response.status, "said": bool(last.response.error.message)}


ACTS = {name: act for name, act in globals().items() if callable(act) and getattr(act, "__module__", "") == "__main__"}

for line in json.load(sys.stdin):
    try:
        seen = ACTS[line["act"]](line["case"])
    except Exception as error:  # noqa: BLE001 - what went wrong is the result
        seen = {"thrown": f"{type(error).__name__}: {error}"}
    print(json.dumps({"case": line["case"], "seen": seen}), flush=True)
