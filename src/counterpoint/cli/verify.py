"""`counterpoint verify`: check that the files of a suite or a lab match their digests and fingerprints."""

import sys
from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import LocalPath, PathOrAddress, json_option
from counterpoint.cli.printing import print_result


@click.command("verify")
@click.argument("folder", type=PathOrAddress(path_type=Path), default="lab")
@click.option("--repair", is_flag=True, help="Do what can be done about what does not hold, and say what was done.")
@click.option("--write-digests", type=LocalPath(path_type=Path), help="Write the digest of every file to this file.")
@click.option("--digests", type=LocalPath(path_type=Path), help="Check every file against this file of digests.")
@json_option
def command(folder: Path | str, repair: bool, write_digests: Path | None, digests: Path | None, as_json: bool) -> None:
    """Check that the files of FOLDER, a lab or a suite, match their digests and fingerprints.

    Nothing is changed without --repair.

    Every suite must have the rows, ids, fingerprint and manifest that it was written with, and no group twice in a
    test; every document its digest, every run the answers that it wrote, every part of answers the record of its run,
    and votes and notes their digest. Then it is said what is not affected. The exit code is 1 if anything does not
    hold.

    A file of digests can be published and signed. It has the format of sha256sum.
    """
    verification = cp.verify_folder(folder, repair=repair, release=digests, write_release=write_digests)
    print_result(verification, as_json=as_json)
    sys.exit(0 if verification.holds else 1)
