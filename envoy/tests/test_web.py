"""The example page in a real browser, and what browsers ask before they call."""

import functools
import http.client
import os
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rig import Envoy, eventually, running
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from shipped import HOME, Config


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served():
    """The page, as `python3 -m http.server` has it; its origin."""
    handler = functools.partial(Quiet, directory=HOME / "web")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def origin():
    with served() as origin:
        yield origin


@pytest.fixture(scope="module")
def envoy(folder, gateways, origin):
    """With the page's origin in place of the shipped one, which has a fixed port."""
    config = Config()
    (policy,) = config.connections["route_config"]["virtual_hosts"][0]["typed_per_filter_config"].values()
    policy["allow_origin_string_match"][0]["exact"] = origin
    with running(Envoy(folder, config.made(*gateways))) as envoy:
        eventually(lambda: all(map(envoy.healthy, gateways)))
        yield envoy


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ["CHROMIUM"]
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run", "disable-background-networking"):
        options.add_argument(f"--{argument}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver" if os.path.exists("/usr/bin/chromedriver") else "chromedriver"))
    yield driver
    driver.quit()


class Screen:
    def __init__(self, browser, origin, envoy):
        self._browser = browser
        browser.get(f"{origin}/?gateway={envoy.url.replace('127.0.0.1', 'localhost')}")

    def ask(self, prompt, deadline=60):
        for name, value in (("prompt", prompt), ("deadline", deadline)):
            self._at(name).clear()
            self._at(name).send_keys(str(value))
        self._at("prompt").submit()

    def leave(self):
        self._at("stop").click()

    @property
    def status(self):
        return self._at("status").text

    @property
    def answer(self):
        return self._at("answer").text

    def pieces(self):
        return int(self.status.split()[0]) if self.status.endswith("pieces") else 0

    def _at(self, name):
        return self._browser.find_element(By.ID, name)


@pytest.fixture
def screen(browser, origin, envoy):
    return Screen(browser, origin, envoy)


def test_the_page_shows_tokens_as_they_come_and_the_end(screen):
    screen.ask("[[sim:inter-token=25ms]] Hi")
    seen = eventually(screen.pieces)
    eventually(lambda: screen.pieces() > seen)
    eventually(lambda: screen.status.startswith("OK: "), 20)
    assert len(screen.answer) > 50


def test_the_page_reads_what_is_not_ascii(screen):
    screen.ask("[[sim:surrogates]] Hi")
    eventually(lambda: screen.status.startswith("OK: "))
    assert "\N{GRINNING FACE}" in screen.answer or any(ord(letter) > 0xFFFF for letter in screen.answer)


def test_stop_in_the_page_stops_at_the_backend(screen, simulators):
    before = sum(simulator.left() for simulator in simulators)
    screen.ask("[[sim:inter-token=100ms]] Hi")
    eventually(screen.pieces)
    screen.leave()
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1, 3)
    assert screen.status.startswith("code 1:")


def test_a_page_that_is_left_stops_at_the_backend(screen, browser, simulators):
    before = sum(simulator.left() for simulator in simulators)
    screen.ask("[[sim:inter-token=100ms]] Hi")
    eventually(screen.pieces)
    browser.get("about:blank")
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1, 3)


def test_the_page_knows_how_a_call_failed(screen):
    screen.ask("[[sim:context-length]] Hi")
    eventually(lambda: screen.status.startswith("code 3:"))
    screen.ask("[[sim:status=503-starting]] Hi")
    eventually(lambda: screen.status.startswith("code 14:"))
    assert screen.status.endswith("(may be repeated)")
    screen.ask("[[sim:drop-after=3]] Hi")
    eventually(lambda: "code 14:" in screen.status and screen.answer)
    assert not screen.status.endswith("(may be repeated)")


def test_the_page_keeps_its_deadline(screen):
    screen.ask("[[sim:stall-after=2]] Hi", deadline=1)
    eventually(lambda: screen.status.startswith("code 4:"))


def test_pages_from_elsewhere_may_not_call(browser, envoy, gateways):
    before = sum(envoy.sent(gateway) for gateway in gateways)
    with served() as elsewhere:
        screen = Screen(browser, elsewhere, envoy)
        screen.ask("Hi")
        eventually(lambda: screen.status.startswith("code none: Failed to fetch"))
    assert sum(envoy.sent(gateway) for gateway in gateways) == before


def test_a_preflight_is_answered_by_envoy(envoy, origin):
    wanted = "content-type,grpc-timeout,x-grpc-web,x-request-id,authorization"
    connection = http.client.HTTPConnection(envoy.target)
    connection.request(
        "OPTIONS",
        "/llm.v1.LLMService/CompleteStream",
        headers={"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": wanted},
    )
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert set(wanted.split(",")) <= set(answer.headers["access-control-allow-headers"].split(","))
    connection.close()
