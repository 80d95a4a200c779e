"""What people do in a lab: votes, review tasks and corrections, as methods that `Lab` inherits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.lab.lab_folder import LabFolder
from counterpoint.lab.name_lists import name_list

if TYPE_CHECKING:
    from counterpoint.lab.corrections import CorrectedSuite
    from counterpoint.lab.group_notes import GroupNote, GroupNotes
    from counterpoint.lab.label_errors import LabelSuspects
    from counterpoint.lab.review_tasks import Invitation, ReviewSetup
    from counterpoint.lab.reviewing import ReviewCounts, ReviewSheet
    from counterpoint.lab.vote_importing import VoteImport
    from counterpoint.lab.voting import PeopleReport, VoteSummary


class PeopleMethods(LabFolder):
    """Reviews by people: sheets, votes, tasks, and suites that are corrected by them."""

    def write_sheet(
        self, sheet: Path | str, suites: Sequence[str], *, sample: int = 60, seed: int = 0, proofs: bool = True
    ) -> ReviewSheet:
        """Write a random sample of each suite to a CSV file whose column `mark` a person fills in."""
        from counterpoint.lab.reviewing import write_review_sheet

        how: dict[str, Any] = {"sample": sample, "seed": seed, "proofs": proofs}
        return write_review_sheet(self.store.opened(), name_list(suites), Path(sheet), **how)

    def count_marks(self, sheet: Path | str) -> ReviewCounts:
        """Count the marks of a sheet by test, with bounds on the share of groups that was accepted."""
        from counterpoint.lab.reviewing import count_review_marks

        return count_review_marks(self.store.opened(), Path(sheet))

    def votes(self, *suites: str, task: str = "", estimate: str = "majority") -> VoteSummary:
        """What people voted: valid items, agreement (Krippendorff's alpha, kappa) and a record of each voter.

        With the estimate "dawid-skene", also what each voter chooses in the place of what is most probable.
        """
        from counterpoint.lab.voting import summarize_votes

        return summarize_votes(self.store.opened(), suites, task, estimate)

    def add_note(self, suite: str, group: str, text: str, *, author: str = "author") -> GroupNote:
        """Write a note on a group, by the id that its page and downloads show; it is kept as votes are."""
        from counterpoint.lab.group_notes import add_note

        return add_note(self.store.opened(), suite, group, text, author)

    def notes(self, *suites: str) -> GroupNotes:
        """The notes of people on groups, by time."""
        from counterpoint.lab.group_notes import list_notes

        return list_notes(self.store.opened(), suites)

    def import_votes(self, *files: Path | str) -> VoteImport:
        """Add votes that people gave in Label Studio, on Mechanical Turk, in a form, or in VALSE's released files."""
        from counterpoint.lab.vote_importing import import_votes

        return import_votes(self.store.opened(), list(map(Path, files)))

    def add_people(self, *suites: str, each: bool = False, estimate: str = "majority") -> PeopleReport:
        """Store what most people said as answers of the model `people`; with `each`, those of every voter too.

        `estimate` is "majority" or "dawid-skene", which weighs each voter by how often they are right.
        """
        from counterpoint.lab.voting import add_people

        return add_people(self.store.opened(), suites, each=each, estimate=estimate)

    def review(
        self,
        task: str,
        *,
        suites: Sequence[str] = (),
        sample: int | None = None,
        per_item: int = 3,
        until_majority: bool = False,
        seed: int = 0,
        gold_suite: str = "",
        gold_voter: str = "",
        suspects: bool = False,
    ) -> ReviewSetup:
        """Set up a task for people: judge captions and foils, answer queries, or audit golds; `serve` has its page.

        Without `suites`, all that fit the task. Voters qualify on the groups of `gold_suite`, or on the items on which
        `gold_voter` voted; without both, everybody's votes count. With `suspects`, only groups whose gold
        several strong models contradict alike.
        """
        from counterpoint.core.votes import ReviewSettings
        from counterpoint.lab.review_tasks import set_up_review

        how = (sample, per_item, until_majority, seed, gold_suite, gold_voter)
        return set_up_review(self.store.opened(), ReviewSettings(task, name_list(suites), *how, suspects=suspects))

    def invite(self, voter: str) -> Invitation:
        """Make a link with a secret by which a person votes; a link that the voter had before ends."""
        from counterpoint.lab.review_tasks import invite

        return invite(self.store.opened(), voter)

    def label_errors(self, suite: str, *, models: Sequence[str] = ()) -> LabelSuspects:
        """Queries whose gold several strong models contradict alike, with the share of audited ones that were wrong."""
        from counterpoint.lab.label_errors import find_label_errors

        return find_label_errors(self.store.opened(), suite, name_list(models))

    def correct(
        self, suite: str, how: str = "valid", *, errata: Path | str | None = None, name: str = "", replace: bool = False
    ) -> CorrectedSuite:
        """Store a new version of a suite beside it: the groups that votes call valid, or golds that audits corrected.

        `how` is "valid" or "correct"; with a file of `errata`, somebody else's corrections are applied.
        """
        from counterpoint.lab.corrections import correct_suite

        how_stored: dict[str, Any] = {
            "errata": Path(errata) if errata else None,
            "name": name,
            "replace_stored": replace,
        }
        return correct_suite(self.store.opened(), suite, how, **how_stored)
