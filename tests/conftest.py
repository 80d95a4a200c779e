"""What every test may ask for: goldens, texts that a person can review in a diff; a small lab; a real browser."""

import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, MutableMapping
from contextlib import chdir
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Any

import pytest
from browsing import CHROMIUM, FLAGS, PATIENCE, served
from proving import register_profiles

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from counterpoint.store.lab import LabStore

TESTS = Path(__file__).parent
GOLDENS = TESTS / "goldens"

MEMORY = "/dev/shm"
ROOM = 4 * 2**30
"""Free bytes from which on the temporary folders of tests are in memory, where no file waits for a disk."""

YOUNG = 50_000
"""New objects after which garbage is collected: with the usual 700, a twentieth of all processor time goes there."""

LONGEST = (
    "models/hf/test_hf_generative.py",
    "browser/test_crowded_pages.py",
    "engine/test_ray_runs.py",
    "docs/test_docs.py",
    "cli/test_eval_command.py",
    "explorer/test_compare_page.py",
    "lab/test_lab_blocks.py",
    "explorer/test_browse_page.py",
    "metrics/test_comparison.py",
    "explorer/test_crowded_overview.py",
    "lab/test_papers.py",
    "store/test_outcome_files.py",
    "lab/test_verification.py",
    "explorer/test_site.py",
    "suites/carets/test_carets_suites.py",
    "lab/test_api.py",
    "explorer/test_history_page.py",
    "world/test_questions.py",
    "explorer/test_pages.py",
    "lab/test_lab_leaderboard.py",
    "lab/test_suite_shards.py",
    "cli/test_leaderboard_command.py",
    "lab/test_sequential_gate.py",
    "explorer/test_waiting.py",
    "test_attacks.py",
)
"""The files that take longest, alone or with those that go with them: they begin first, so that none is left over."""

TOGETHER = {
    "browser": (
        "tests/browser/",
        "tests/docs/test_report.py",
    ),
    "groups": (
        "tests/explorer/test_compare_page.py",
        "tests/explorer/test_group_page.py",
        "tests/explorer/test_sample_page.py",
        "tests/explorer/test_similar_pages.py",
        "tests/lab/test_feature_index.py",
    ),
    "scipy": (
        "tests/lab/test_reviewing.py",
        "tests/metrics/test_agreement.py",
        "tests/metrics/test_comparison.py",
        "tests/metrics/test_distributions.py",
        "tests/metrics/test_gates.py",
        "tests/metrics/test_intervals.py",
        "tests/metrics/test_ranking.py",
        "tests/pictures/test_noise.py",
        "tests/studies/test_blind_probe.py",
        "tests/studies/test_rad_prediction.py",
    ),
    "torch": (
        "tests/cli/test_data_command.py",
        "tests/cli/test_doctor_command.py",
        "tests/docs/test_reference.py",
        "tests/integrations/test_trainer_callback.py",
        "tests/models/hf/",
        "tests/store/test_cache.py",
        "tests/studies/test_augment_study.py",
        "tests/studies/test_checkpoint_series.py",
    ),
}
"""Files that one worker runs, by how their names begin: no other starts a browser, makes that lab or imports torch."""

register_profiles()
os.environ.setdefault("OMP_NUM_THREADS", "1")  # one worker per core: further threads of torch only wait
if os.path.isdir(MEMORY) and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC and disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)

Golden = Callable[[str, Iterable[str]], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write what the tests made as the new goldens")


class ExampleFiles:
    """A plugin that leaves out examples of files that have none: they are not searched, nor imported for it."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        collectors = yield
        if collectors and b">>>" not in file_path.read_bytes():
            return [collector for collector in collectors if type(collector) is pytest.Module]
        return collectors


def pytest_configure(config: pytest.Config) -> None:
    """Hear Ctrl-C, which tests press, where the tests were started in the background and Python would ignore it."""
    config.pluginmanager.register(ExampleFiles())
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again as cores: many tests wait for a browser, a server or another process."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Send whole files to workers as `--dist loadfile` does, and some files to one worker."""
    from xdist.scheduler import LoadFileScheduling

    class SharedImportsScheduling(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return next((scope for scope, starts in TOGETHER.items() if file.startswith(starts)), file)

    return SharedImportsScheduling(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; `--no-loadscope-reorder` keeps them there."""
    ranks = {TESTS / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector off what is collected: thousands of tests, and the modules that they import."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG)
        gc.enable()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """A check that lines are those of a file in `goldens/`, or, with --update-goldens, the rewriting of it."""

    def check(name: str, lines: Iterable[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        path = GOLDENS / name
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{name} is missing; pytest --update-goldens writes it"
        assert text == path.read_text(encoding="utf-8"), f"{name} has changed; if it should, pytest --update-goldens"

    return check


@pytest.fixture
def workdir(tmp_path: Path) -> Iterator[Path]:
    """An empty folder as the working directory, from which modules are imported that a test writes into it."""
    known = set(sys.modules)
    sys.path.insert(0, str(tmp_path))
    importlib.invalidate_caches()
    with chdir(tmp_path):
        yield tmp_path
    sys.path.remove(str(tmp_path))
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def environ() -> Iterator[MutableMapping[str, str]]:
    """The environment variables, which are put back after the test."""
    before = dict(os.environ)
    yield os.environ
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> "LabStore":
    """The small lab that most pages are tried on, which no test writes to; who does makes a `lab` of its own."""
    from labs import small_lab

    return small_lab(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="session")
def groups_lab(tmp_path_factory: pytest.TempPathFactory) -> "LabStore":
    """The lab of groups around the same questions, which no test writes to either."""
    from group_labs import lab_of_groups

    return lab_of_groups(tmp_path_factory.mktemp("groups"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the tables and thumbnails of servers, so that those of one lab are made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def small_home(lab: "LabStore", cache: Path) -> Iterator[str]:
    """The address of a real server over the small lab, on a free port."""
    from counterpoint.explorer.app import create_app

    with served(create_app(lab, cache=cache)) as home:
        yield home


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Chromium as Debian has it; the plugin would fetch one."""
    return {"executable_path": str(CHROMIUM), "args": list(FLAGS)}


@pytest.fixture(scope="module")
def browser_context_args(base_url: str | None) -> dict[str, Any]:
    """What a page of the browser starts from: each module has a server of its own, and the plugin knows only one."""
    return {"base_url": base_url} if base_url else {}


@pytest.fixture(scope="module")
def window(browser: "Browser", browser_context_args: dict[str, Any]) -> Iterator["Page"]:
    """The page that the tests of a module share. It waits as long as a busy machine may need."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    with browser.new_context(**browser_context_args) as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


@pytest.fixture
def page(window: "Page") -> "Page":
    """A page as if newly opened: to open one costs what a page of the explorer costs."""
    window.goto("about:blank")
    window.unroute_all()
    window.context.clear_cookies()
    window.set_viewport_size({"width": 1280, "height": 720})
    window.emulate_media(color_scheme="null")
    window.mouse.move(0, 0)
    return window


@pytest.fixture
def complaints(page: "Page") -> Iterator[list[str]]:
    """What the browser has to complain about, which is nothing."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda problem: said.append(str(problem)))
    yield said
    assert said == []
