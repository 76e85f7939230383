"""What transformers' apply_chat_template makes of conversations, for templates that use the features of published ones.

Writes chats.json beside this file. The templates are written for this test: each does what the published template of its
name does with system, user and assistant messages, by the same means (slices and tests of lists, namespaces, string methods,
trim, loop variables, white-space control, raise_exception, strftime_now). Run make-tokenizers.py first.

    python3 -m venv venv && venv/bin/pip install transformers jinja2 && venv/bin/python test/golden/make-chats.py
"""
import json, pathlib, tempfile
import jinja2, transformers

HERE = pathlib.Path(__file__).parent
LLAMA_2 = """{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set opening = '<<SYS>>\\n' + messages[0]['content'] | trim + '\\n<</SYS>>\\n\\n' %}
{% else %}{% set rest = messages %}{% set opening = '' %}{% endif %}
{%- for message in rest %}
  {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must take turns: user, assistant, user …') }}{% endif %}
  {%- set content = opening + message['content'] if loop.first else message['content'] %}
  {%- if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% else %}{{ ' ' ~ content.strip() ~ ' ' ~ eos_token }}{% endif %}
{%- endfor %}"""
LLAMA_3 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{#- The system's turn is always there. #}
{%- set system = messages[0]['content'] | trim if messages[0].role == 'system' else '' %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\nToday Date: " + date_string + "\\n\\n" + system + "<|eot_id|>" }}
{%- for message in messages if message.role != 'system' %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if tools is not none %}{{ raise_exception('no tools here') }}{% endif %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
QWEN_2 = """{%- if messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou are a careful assistant.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
QWEN_3 = """{%- set state = namespace(searching=true, last_question=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if state.searching and message.role == "user" and message.content is string and not (message.content.startswith('<tool>') and message.content.endswith('</tool>')) %}
        {%- set state.searching = false %}
        {%- set state.last_question = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- set thought = '' %}
    {%- if message.role == "assistant" and '</think>' in content %}
        {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {{- '<|im_start|>' ~ message.role ~ '\\n' }}
    {%- if thought and loop.index0 > state.last_question %}{{ '<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' }}{% endif %}
    {{- content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""
TEMPLATES = {"llama-2": LLAMA_2, "llama-3": LLAMA_3, "qwen2.5": QWEN_2, "qwen3": QWEN_3}
TOKENIZERS = {"llama-2": "llama-2", "llama-3": "llama-3", "qwen2.5": "qwen", "qwen3": "qwen"}
message = lambda role, content: {"role": role, "content": content}
CONVERSATIONS = {
    "a question": [message("user", "  What is 2 + 2?\n")],
    "a system's turn and a question": [message("system", " Be brief. "), message("user", "the cat\n\nand the dog")],
    "three turns": [message("user", "one"), message("assistant", "<think>\nhm\n</think>\n\ntwo"), message("user", "three 木")],
    "an answer": [message("system", "S"), message("user", "one"), message("assistant", "<think>\nhm\n</think>\n\ntwo")],
    "an assistant first": [message("assistant", "one"), message("user", "two")],
    "braces and quotes": [message("user", "{{ 7 * 7 }} {% raw %} \"it's\" </s")],
}
# The clock is not asked: templates fall back to this date, or are given it.
DATE = "26 Jul 2024"
forms = json.loads((HERE / "tokenizers.json").read_text())["tokenizers"]


def make(name):
    form = forms[TOKENIZERS[name]]
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "tokenizer.json").write_text(json.dumps(form["json"]))
    (folder / "tokenizer_config.json").write_text(json.dumps({**form["config"], "chat_template": TEMPLATES[name]}))
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    chats = []
    for title, messages in CONVERSATIONS.items():
        for variables in ({}, {"enable_thinking": False}) if name == "qwen3" else ({},):
            for add in (True, False):
                chat = {"title": title, "messages": messages, "addGenerationPrompt": add, "variables": variables}
                render = lambda **options: tokenizer.apply_chat_template(messages, add_generation_prompt=add, date_string=DATE, **variables, **options)
                try:
                    chats.append({**chat, "text": render(tokenize=False), "ids": render(tokenize=True, return_dict=False)})
                except jinja2.exceptions.TemplateError as error:
                    chats.append({**chat, "refused": str(error)})
    return {"tokenizer": TOKENIZERS[name], "template": TEMPLATES[name], "chats": chats}


(HERE / "chats.json").write_text(json.dumps({
    "versions": {"transformers": transformers.__version__, "jinja2": jinja2.__version__},
    "templates": {name: make(name) for name in TEMPLATES},
}, separators=(",", ":"), ensure_ascii=False) + "\n")
