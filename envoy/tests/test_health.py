"""Which gateway is given calls: the ready ones, busy or not; and one may go without a call failing."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from calling import Caller
from proxies import Proxy
from rig import PLACES, Envoy, Gateway, Simulator, eventually, running
from shipped import Config


class Load:
    """Callers that never stop: unary calls, and streams of half a second."""

    def __init__(self, target, callers=4):
        self.done = 0
        self.failures = []
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._caller = Caller(target)
        self._threads = [threading.Thread(target=self._run, args=(number % 2,)) for number in range(callers)]

    def _run(self, streams):
        while not self._stop.is_set():
            try:
                if streams:
                    self._caller.stream("[[sim:inter-token=50ms]] Hi", tokens=10).whole()
                else:
                    self._caller.complete("Hi", tokens=10)
                with self._lock:
                    self.done += 1
            except Exception as error:
                self.failures.append(error)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._caller.__exit__()

    def more(self, calls):
        """Wait until so many more have ended."""
        goal = self.done + calls
        eventually(lambda: self.done >= goal, 20)


def sent_to(envoy, gateway, calls, caller):
    before = envoy.sent(gateway)
    for _ in range(calls):
        caller.complete("Hi")
    return envoy.sent(gateway) - before


@pytest.fixture(scope="module")
def frail(folder):
    """A gateway with a backend of its own; the tests below do away with both, in this order."""
    with running(Simulator(folder)) as simulator, running(Gateway(folder, simulator.url)) as gateway:
        yield simulator, gateway


def test_a_gateway_whose_backend_dies_gets_no_calls_until_it_is_back(folder, gateways, frail, request):
    """No unary call fails on the way: until Envoy has heard of it, the gateway says that they may be repeated."""
    simulator, gateway = frail
    with running(Envoy(folder, Config().made(gateways[0], gateway))) as envoy, Caller(envoy.target) as caller:
        eventually(lambda: envoy.healthy(gateway))
        assert sent_to(envoy, gateway, 10, caller) == 5
        simulator.kill()
        end = time.monotonic() + 20
        while envoy.healthy(gateway):
            caller.complete("Hi")
            assert time.monotonic() < end
        assert sent_to(envoy, gateway, 10, caller) == 0
        eventually(lambda: envoy.host(gateway)["health_status"].get("failed_active_health_check"))
        again = Simulator(folder, port=simulator.port)
        request.getfixturevalue("ends").callback(again.kill)
        again.ready()
        eventually(lambda: envoy.healthy(gateway), 20)
        assert sent_to(envoy, gateway, 10, caller) == 5


def test_one_of_two_gateways_stops_and_no_call_fails(folder, gateways, frail):
    """Behind Envoy, and behind HAProxy, whose checks are quick enough."""
    stays, goes = gateways[0], frail[1]
    with running(Envoy(folder, Config().made(stays, goes)), Proxy(folder, "haproxy", stays.port, goes.port)) as (envoy, other):
        with Load(envoy.target) as load, Load(other.target) as other_load:
            eventually(lambda: envoy.healthy(stays) and envoy.healthy(goes))
            load.more(30)
            other_load.more(30)
            assert envoy.sent(goes)
            began = time.monotonic()
            goes.terminate()
            eventually(lambda: not envoy.healthy(goes), 5)
            # By its word in the answers, which takes no time; health checks take up to 4 s.
            assert envoy.host(goes)["health_status"]["failed_active_health_check"]
            assert envoy.stat("cluster.gateway.health_check.passive_failure") >= 1
            assert goes.wait() == 0
            took = time.monotonic() - began
            load.more(30)
            other_load.more(30)
    assert load.failures == []
    assert other_load.failures == []
    assert took > 4, "it did not wait drain.pause"


def test_the_last_good_gateway_gets_all_calls(folder, gateways):
    """Two of three are dead; by Envoy's default calls would go to all of them again. Streams, since they are not repeated."""
    with running(Envoy(folder, Config().made(gateways[0], ("127.0.0.1", 9), ("127.0.0.1", 10)))) as envoy:
        eventually(lambda: envoy.stat("cluster.gateway.membership_healthy") == 1)
        with Caller(envoy.target) as caller:
            for _ in range(12):
                caller.stream("Hi").whole()


def test_busy_is_not_dead(folder, gateways):
    with running(Envoy(folder, Config().made(*gateways))) as envoy, Caller(envoy.target) as caller:
        for _ in range(20):
            error = caller.failure("[[sim:status=429]] Hi")
            assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert not any(map(envoy.ejected, gateways))


def test_dead_is_put_aside_but_never_more_than_half(folder, gateways):
    config = Config()
    config.cluster["outlier_detection"].update(base_ejection_time="1s", interval="0.5s")
    with running(Envoy(folder, config.made(*gateways))) as envoy, Caller(envoy.target) as caller:
        eventually(lambda: all(map(envoy.healthy, gateways)))
        for _ in range(20):
            caller.failure("[[sim:status=502]] Hi")
        assert sum(map(envoy.ejected, gateways)) == 1
        # They were good all the time; it was the prompts.
        assert caller.complete("Hi")
        eventually(lambda: not any(map(envoy.ejected, gateways)), 10)


@pytest.mark.parametrize("orca", [True, False], ids=["orca", "in turns"])
def test_the_busy_gateway_gets_fewer_calls(folder, gateways, simulators, orca):
    """Most of its places are taken by callers who come another way."""
    busy, idle = gateways
    with Caller(f"127.0.0.1:{busy.port}") as direct:
        streams = [direct.stream("[[sim:inter-token=1s]] Hi", tokens=1000, timeout=120) for _ in range(PLACES * 4 // 5)]
        eventually(lambda: all(stream.first for stream in streams), 20)
        config = Config("orca") if orca else Config()
        if orca:
            policy = config.cluster["load_balancing_policy"]["policies"][0]["typed_extension_config"]["typed_config"]
            policy.update(blackout_period="0.2s", weight_update_period="0.2s")
        with running(Envoy(folder, config.made(busy, idle))) as envoy, Caller(envoy.target) as caller:
            eventually(lambda: envoy.healthy(busy) and envoy.healthy(idle))
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: caller.complete("Hi"), range(600)))
                before = [envoy.sent(gateway) for gateway in gateways]
                list(pool.map(lambda _: caller.complete("Hi"), range(300)))
            shares = [envoy.sent(gateway) - sent for gateway, sent in zip(gateways, before)]
        for stream in streams:
            stream.cancel()
    assert sum(shares) == 300
    print(f"busy and idle gateway: {shares}")
    if orca:
        assert shares[0] * 2 < shares[1], shares
    else:
        assert abs(shares[0] - shares[1]) <= 2, shares
