"""Optional packages: which command installs an extra, for the way in which this copy was installed."""

import sys
from importlib.util import find_spec


def install_command(extra: str, prefix: str = sys.prefix, *, has_pip: bool | None = None) -> str:
    """The command that adds an extra to this installation, which may be one of pip, pipx or uv.

    Pip and uv take the package that is there and add what the extra wants, so it works for a wheel and a checkout too.
    Environments that uv makes have no pip of their own.

    >>> install_command("hf", "/opt/pipx/venvs/counterpoint")
    "pipx runpip counterpoint install 'counterpoint[hf]'"
    >>> install_command("hf", "/opt/project/.venv", has_pip=True)
    "pip install 'counterpoint[hf]'"
    >>> install_command("hf", "/opt/project/.venv", has_pip=False)
    "uv pip install --python /opt/project/.venv 'counterpoint[hf]'"
    """
    parts = prefix.replace("\\", "/").split("/")
    if "pipx" in parts:
        return f"pipx runpip {parts[-1]} install 'counterpoint[{extra}]'"
    if not (find_spec("pip") is not None if has_pip is None else has_pip):
        return f"uv pip install --python {prefix} 'counterpoint[{extra}]'"
    return f"pip install 'counterpoint[{extra}]'"
