"""Draws the Grafana dashboard from a running Prometheus: its own grid, titles, units and queries, without Grafana.

    draw.py PROMETHEUS_URL DASHBOARD.json OUT.png SECONDS

Fails, naming them, when queries are refused or panels have nothing to show.
"""

import json
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# A run without these shows nothing there, and rightly so.
MAY_BE_EMPTY = {"Back-pressure": "a client that takes megabytes at once makes no backend wait"}
# Grafana takes four scrapes; run.sh scrapes every 2 s.
RATE_INTERVAL = "20s"
STEP = 2
MOST_LINES = 9
LONGEST_NAME = 30

BACK, PANEL, TEXT, GRID = "#111217", "#181b1f", "#ccccdc", "#2c3235"
COLOURS = ["#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#96d98d", "#ffa6b0"]


def ask(url, path, **query):
    try:
        with urllib.request.urlopen(f"{url}/api/v1/{path}?{urllib.parse.urlencode(query)}") as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{query['query']}: {error.read().decode()}") from error


def filled(expression):
    for name, value in {"$job": "inference-gateway", "$instance": ".*", "$model": ".*", "$__rate_interval": RATE_INTERVAL}.items():
        expression = expression.replace(name, value)
    return expression


def legend(pattern, labels):
    return re.sub(r"\{\{(\w+)\}\}", lambda name: labels.get(name[1], ""), pattern).strip() or "value"


def lines_of(panel, url, start, end):
    for target in panel["targets"]:
        for series in ask(url, "query_range", query=filled(target["expr"]), start=start, end=end, step=STEP):
            points = [(float(at) - start, float(value)) for at, value in series["values"]]
            points = [(at, value) for at, value in points if value == value]
            if points:
                yield legend(target["legendFormat"], series["metric"]), points


def shown(value, unit):
    if unit == "s":
        return f"{value * 1000:g} ms" if value < 1 else f"{value:g} s"
    if unit == "bytes":
        return f"{value / 2**20:.0f} MiB"
    if unit == "percentunit":
        return f"{value * 100:g} %"
    return f"{value:g}" + ("/s" if unit == "reqps" else "")


def short(name):
    name = name.replace("llm.v1.LLMService/", "")
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def frame(figure, panel, rows):
    at = panel["gridPos"]
    left, width = at["x"] / 24, at["w"] / 24
    bottom, height = 1 - (at["y"] + at["h"]) / rows, at["h"] / rows
    return figure.add_axes((left + 0.038 * width * 3, bottom + 0.32 * height, 0.86 * width, 0.54 * height))


def draw(figure, panel, rows, lines, seconds):
    axes = frame(figure, panel, rows)
    axes.set_facecolor(PANEL)
    axes.set_title(panel["title"], color=TEXT, fontsize=8, loc="left", pad=4)
    unit = panel["fieldConfig"]["defaults"].get("unit", "short")
    if panel["type"] == "stat":
        axes.axis("off")
        text = "   ".join(f"{value:g}" for _, points in lines for _, value in points[-1:])
        axes.text(0.5, 0.4, text, color=COLOURS[0], fontsize=30, ha="center", va="center", transform=axes.transAxes)
        return
    for number, (name, points) in enumerate(lines[:MOST_LINES]):
        axes.plot(*zip(*points), color=COLOURS[number % len(COLOURS)], linewidth=1, label=short(name))
    axes.set_xlim(0, seconds)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: shown(value, unit))
    axes.xaxis.set_major_formatter(lambda value, _: f"{int(value) // 60}:{int(value) % 60:02}")
    axes.tick_params(colors=TEXT, labelsize=6, length=0)
    axes.grid(color=GRID, linewidth=0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if lines:
        axes.legend(loc="upper left", bbox_to_anchor=(-0.08, -0.13), ncols=3, fontsize=5.5, frameon=False, labelcolor=TEXT, handlelength=1)


def main():
    url, dashboard, out, seconds = sys.argv[1:]
    with open(dashboard, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    end = time.time()
    start = end - float(seconds)
    figure = plt.figure(figsize=(12, rows * 0.235), facecolor=BACK)
    empty = []
    for panel in panels:
        if panel["type"] == "row":
            at = panel["gridPos"]
            figure.text(0.006, 1 - (at["y"] + 0.8) / rows, panel["title"], color="white", fontsize=10, weight="bold")
            continue
        lines = list(lines_of(panel, url, start, end))
        if not lines and panel["title"] not in MAY_BE_EMPTY:
            empty.append(panel["title"])
        draw(figure, panel, rows, lines, float(seconds))
    if empty:
        raise SystemExit(f"nothing to show in: {', '.join(empty)}")
    figure.savefig(out, dpi=100, facecolor=BACK, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
