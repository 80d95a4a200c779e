"""Push an exported folder to a hub with the API of Hugging Face; the token comes from the environment alone."""

import os
import re
from pathlib import Path
from typing import Any

from counterpoint.core.errors import CounterpointError
from counterpoint.core.extras import install_command
from counterpoint.exports.suite_card import CARD

TOKEN = "HF_TOKEN"
"""The variable with the token. A login that another program stored on this machine is not used."""
_REPO = re.compile(r"[\w.-]+/[\w.-]+")


def check_push(repo: str) -> str:
    """The token to push with; raises where the name is no `owner/name`, or token or package are missing."""
    if not _REPO.fullmatch(repo):
        raise CounterpointError(f"{repo!r} names no repository", hint="write owner/name")
    _api(token := os.environ.get(TOKEN, ""))
    if not token:
        raise CounterpointError(f"{TOKEN} is not set", hint=f"put a token of the hub with write access into {TOKEN}")
    return token


def push_folder(folder: Path, repo: str, kind: str) -> str:
    """Upload a folder to a repository of a `dataset` or `model`, and return the address of the commit.

    A new data set is private until its owner makes it public. A card of a model is proposed as a pull request, since
    the repository has a card of its own.
    """
    api, is_model = _api(check_push(repo)), kind == "model"
    about: dict[str, Any] = {"repo_id": repo, "repo_type": kind}
    try:
        if is_model:
            about |= {"path_or_fileobj": folder / CARD, "path_in_repo": CARD}
            done = api.upload_file(**about, commit_message="Add an evaluation by Counterpoint", create_pr=True)
        else:
            api.create_repo(**about, exist_ok=True, private=True)
            done = api.upload_folder(folder_path=folder, **about, commit_message="Add a suite of Counterpoint")
    except Exception as problem:  # of its HTTP client, its checks and its files; none of them is worth a traceback
        reason = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        hint = f"check the name, the rights of the token in {TOKEN}, and HF_ENDPOINT; {folder} is whole"
        raise CounterpointError(f"{repo} cannot be written: {reason}", hint=hint) from problem
    return str(done.pr_url or done.commit_url)


def _api(token: str) -> Any:
    try:
        from huggingface_hub import HfApi
    except ImportError as problem:
        raise CounterpointError("huggingface_hub is not installed", hint=install_command("hub")) from problem
    return HfApi(token=token)
