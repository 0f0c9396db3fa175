"""Whole answers, and what can be asked for."""

import math

import pytest

from inference_gateway import Client, InferenceClient, Message
from inference_gateway.proto import duration_pb2, inference_pb2, llm_pb2

EVERYTHING = {
    "model": "m",
    "max_tokens": 7,
    "temperature": 0,
    "top_p": 0.5,
    "top_k": 0,
    "min_p": 0.25,
    "frequency_penalty": -0.5,
    "presence_penalty": 0.0,
    "repetition_penalty": 1.5,
    "seed": 2**40,
    "logit_bias": {5: -1.5, 6: 2},
    "stop": ["END", "FIN"],
    "stop_token_ids": [7, 8],
    "include_stop_text": False,
    "min_tokens": 0,
    "ignore_eos": True,
}

UPSTREAM = {
    **{name: EVERYTHING[name] for name in EVERYTHING if name != "include_stop_text"},
    "logit_bias": {"5": -1.5, "6": 2},
    "include_stop_str_in_output": False,
}


def upstream(recorder, call):
    recorder.requests.clear()
    call()
    (body,) = recorder.requests
    return body


def test_answer_has_text_model_usage_and_reason(client):
    answer = client.generate("Hi", max_tokens=5)
    assert str(answer) == answer.text != ""
    assert answer.model == "simulated-model"
    assert answer.finish_reason == "length"
    assert answer.usage.output_tokens == 5
    assert answer.usage.total_tokens == answer.usage.input_tokens + 5
    assert answer.usage.exact is True
    assert 0 < answer.timing.total < 10
    assert answer.id.startswith("chatcmpl-")


def test_small_contract_answers_the_same(gateway):
    with InferenceClient(gateway.target) as client:
        answer = client.generate("Hi", max_tokens=5)
        report = client.health_report()
    assert answer.usage.output_tokens == 5
    assert answer.usage.total_tokens == answer.usage.input_tokens + 5
    assert (answer.finish_reason, answer.model) == ("length", "simulated-model")
    assert (report.status, report.model) == ("healthy", "simulated-model")


def test_reasoning_comes_apart_from_text(client):
    answer = client.generate("Hi [[sim:reasoning=3]]", max_tokens=6)
    assert answer.reasoning != ""
    assert answer.text != ""


@pytest.mark.parametrize("method", ["generate", "stream"])
def test_every_parameter_reaches_the_backend(recording_gateway, recorder, method):
    with Client(recording_gateway.target) as client:
        body = upstream(
            recorder,
            lambda: (
                list(str(getattr(client, method)("Hi", **EVERYTHING)))
                if method == "generate"
                else list(client.stream("Hi", **EVERYTHING))
            ),
        )
    assert {name: body[name] for name in UPSTREAM} == UPSTREAM
    assert body["messages"] == [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize("method", ["generate", "stream"])
def test_every_parameter_of_the_small_contract_reaches_the_backend(
    recording_gateway, recorder, method
):
    names = ("model", "max_tokens", "temperature", "top_p", "stop", "seed")
    params = {name: EVERYTHING[name] for name in names}
    with InferenceClient(recording_gateway.target) as client:
        body = upstream(
            recorder,
            lambda: (
                str(list(getattr(client, method)("Hi", **params)))
                if method == "stream"
                else client.generate("Hi", **params)
            ),
        )
    assert {name: body[name] for name in names} == params


def test_unset_and_none_are_not_sent(recording_gateway, recorder):
    unset = dict.fromkeys(set(EVERYTHING) - {"model", "max_tokens"})
    with Client(recording_gateway.target) as client:
        body = upstream(recorder, lambda: client.generate("Hi", **unset))
    assert set(UPSTREAM) & set(body) == {"model", "max_tokens"}


def test_the_backend_says_what_stopped_it(recording_gateway):
    with Client(recording_gateway.target) as client:
        answer = client.generate("Hi", stop="END")
        stream = client.stream("Hi", stop_token_ids=[7])
        assert list(stream) == ["ok"]
    assert (answer.finish_reason, answer.stopped_by) == ("stop", "END")
    assert (stream.finish_reason, stream.stopped_by) == ("stop", 7)


CONVERSATIONS = [
    "Hi",
    [{"role": "user", "content": "Hi"}],
    [Message("user", "Hi")],
    (Message("user", "Hi"),),
    [llm_pb2.Message(role="user", content="Hi")],
    [inference_pb2.ChatMessage(role="user", content="Hi")],
    {"role": "user", "content": "Hi"},
    Message("user", "Hi"),
    llm_pb2.Message(role="user", content="Hi"),
    {"messages": [{"role": "user", "content": "Hi"}]},
    {"messages": (Message("user", "Hi"),)},
]


@pytest.mark.parametrize("prompt", CONVERSATIONS, ids=lambda prompt: repr(prompt)[:40])
@pytest.mark.parametrize("kind", [Client, InferenceClient])
def test_a_prompt_is_a_string_or_messages(recording_gateway, recorder, kind, prompt):
    with kind(recording_gateway.target) as client:
        body = upstream(recorder, lambda: client.generate(prompt))
    assert body["messages"] == [{"role": "user", "content": "Hi"}]


def test_a_whole_request_may_be_given_and_parameters_go_over_it(recording_gateway, recorder):
    request = llm_pb2.CompleteRequest(
        model="mine",
        messages=[llm_pb2.Message(role="system", content="Be brief.")],
        stopping=llm_pb2.Stopping(stop=["A", "B"]),
        time_limits=llm_pb2.TimeLimits(total=duration_pb2.Duration(seconds=9)),
    )
    with Client(recording_gateway.target, model="other") as client:
        body = upstream(recorder, lambda: client.generate(request, stop="C", max_tokens=3))
    assert body["messages"] == [{"role": "system", "content": "Be brief."}]
    assert (body["model"], body["stop"], body["max_tokens"]) == ("mine", ["C"], 3)
    assert list(request.stopping.stop) == ["A", "B"]


@pytest.mark.parametrize("kind", [Client, InferenceClient])
def test_a_whole_request_may_be_a_dict_and_parameters_go_over_it(recording_gateway, recorder, kind):
    request = {
        "model": "mine",
        "messages": [{"role": "system", "content": "Be brief."}],
        "max_tokens": 5,
        "stop": ["A"],
        "timeout": 30,
    }
    before = str(request)
    with kind(recording_gateway.target, model="other") as client:
        body = upstream(recorder, lambda: client.generate(request, stop="C", max_tokens=None))
        with pytest.raises(TypeError, match="argument 'max_token'; did you mean 'max_tokens'"):
            client.generate({"messages": [], "max_token": 3})
        for messages in ("Hi", {"role": "user"}, None, 7):
            with pytest.raises(TypeError, match="messages: takes a list of messages"):
                client.generate({"messages": messages})
    assert body["messages"] == request["messages"]
    assert (body["model"], body["stop"], body["max_tokens"]) == ("mine", ["C"], 5)
    assert str(request) == before


def test_the_clients_model_is_for_calls_that_name_none(recording_gateway, recorder):
    with Client(recording_gateway.target, model="usual") as client:
        assert upstream(recorder, lambda: client.generate("Hi"))["model"] == "usual"
        assert upstream(recorder, lambda: client.generate("Hi", model="m"))["model"] == "m"


def test_the_request_id_is_the_callers(client):
    assert client.generate("Hi", max_tokens=1, request_id="mine-1").request_id == "mine-1"


def test_a_request_id_that_the_gateway_would_not_take_is_refused(client):
    with pytest.raises(ValueError, match="request_id: takes 1 to 128"):
        client.generate("Hi", request_id="no spaces")


@pytest.mark.parametrize("stream", [False, True])
def test_a_time_limit_gives_a_partial_answer_when_asked(client, stream):
    slow = "Hi [[sim:inter-token=100ms]]"
    if stream:
        answer = client.stream(slow, total_limit=0.35, partial=True)
        list(answer)
    else:
        answer = client.generate(slow, total_limit=0.35, partial=True)
    assert answer.finish_reason == "time_limit"
    assert answer.text != ""
    assert answer.usage.exact is False


WRONG = [
    (
        {"max_token": 1},
        TypeError,
        "generate() got an unexpected keyword argument 'max_token'; did you mean 'max_tokens'?",
    ),
    ({"max_tokens": "many"}, TypeError, "max_tokens: takes a whole number, not this str"),
    ({"temperature": "hot"}, TypeError, "temperature: takes a number, not this str"),
    ({"model": 7}, TypeError, "model: takes a string, not this int"),
    ({"stop": 7}, TypeError, "stop: takes a string or several, not this int"),
    ({"logit_bias": [1]}, TypeError, "logit_bias: takes whole numbers to numbers, not this list"),
    ({"partial": 1}, TypeError, "partial: takes True or False, not this int"),
    ({"ignore_eos": 1}, TypeError, "ignore_eos: takes True or False, not this int"),
    ({"include_stop_text": 0}, TypeError, "include_stop_text: takes True or False, not this int"),
    ({"temperature": True}, TypeError, "temperature: takes a number, not this bool"),
    ({"max_tokens": True}, TypeError, "max_tokens: takes a whole number, not this bool"),
    ({"total_limit": True}, TypeError, "total_limit: takes a number of seconds, not this bool"),
    ({"stop_token_ids": [True]}, TypeError, "stop_token_ids: takes whole numbers, not this list"),
    ({"stop_token_ids": {1: 2}}, TypeError, "stop_token_ids: takes whole numbers, not this dict"),
    ({"stop": {"a": 1}}, TypeError, "stop: takes a string or several, not this dict"),
    ({"stop": b"ab"}, TypeError, "stop: takes a string or several, not this bytes"),
    ({"stop": [1]}, TypeError, "stop: takes a string or several, not this list"),
    (
        {"logit_bias": {1: True}},
        TypeError,
        "logit_bias: takes whole numbers to numbers, not this dict",
    ),
    ({"request_id": 5}, TypeError, "request_id: takes a string, not this int"),
    ({"timeout": "1s"}, TypeError, "timeout: takes seconds or None, not this str"),
    ({"max_tokens": 2**31}, ValueError, "max_tokens: takes a whole number; this is out of range"),
    (
        {"total_limit": math.inf},
        ValueError,
        "total_limit: takes a number of seconds; this is out of range",
    ),
    ({"timeout": math.nan}, ValueError, "timeout: takes 0 seconds or more, not nan"),
    ({"timeout": -1}, ValueError, "timeout: takes 0 seconds or more, not -1"),
]


@pytest.mark.parametrize(("params", "kind", "words"), WRONG, ids=lambda value: str(value)[:20])
def test_what_cannot_be_sent_is_refused_at_once(client, params, kind, words):
    with pytest.raises(kind) as refused:
        client.generate("Hi", **params)
    assert str(refused.value) == words


def test_the_small_contract_says_what_it_does_not_have(gateway):
    with InferenceClient(gateway.target) as client, pytest.raises(TypeError, match="Client does"):
        client.generate("Hi", top_k=3)


SECRET = "my secret"
NO_PROMPTS = [
    (SECRET.encode(), TypeError),
    ({"role": "user", "content": SECRET, "name": "x"}, TypeError),
    ({"role": "user"}, TypeError),
    ({"messages": [SECRET]}, TypeError),
    (Message("user", SECRET.encode()), TypeError),
    ([{"role": "user", "content": SECRET, "name": "x"}], TypeError),
    ([{"role": "user", "content": [{"type": "text", "text": SECRET}]}], TypeError),
    ([SECRET], TypeError),
    (inference_pb2.GenerateRequest(), TypeError),
    (7, TypeError),
    (SECRET + "\ud83d", ValueError),
]


@pytest.mark.parametrize(("prompt", "kind"), NO_PROMPTS, ids=lambda value: type(value).__name__)
def test_what_is_no_prompt_is_refused_without_repeating_it(client, prompt, kind):
    with pytest.raises(kind) as refused:
        client.generate(prompt)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None


def test_ranges_are_the_gateways_to_check_and_all_are_named(client):
    from inference_gateway import InvalidRequestError

    with pytest.raises(InvalidRequestError) as refused:
        client.generate("Hi", max_tokens=0, temperature=9)
    fields = [violation.field for violation in refused.value.violations]
    assert fields == ["max_tokens", "sampling.temperature"]
    assert refused.value.reason == "INVALID_REQUEST"
