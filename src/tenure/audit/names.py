"""Names checked against the code and its history: defined, used, renamed, gone, or in another place than told."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable

from tenure.audit import repair, symbols
from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.parsing import UNKNOWN_CONTAINER, Occurrence
from tenure.audit.paths import EXCUSED, Paths
from tenure.audit.project import Project
from tenure.audit.renamed_names import Removal

MAX_HEIRS = 3
MAX_PAGE = 4 * 1024 * 1024
MAX_WORDS = 32 * 1024 * 1024
_PARTS = re.compile(r"\.|::|#|->")
# In these a class has the members that its text gives it: nothing is derived or generated.
_PLAIN_CLASSES = (".py", ".ts", ".tsx", ".js", ".mjs")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# `YOUR_URL` stands for what a reader fills in.
_STAND_IN = re.compile(r"(?:YOUR|MY|EXAMPLE|SAMPLE|SOME|TEST)_")
# Two words and more, long enough to be no other project's.
_TELLING = re.compile(r"(?=.{10})(?:[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)")


class Names:
    """The rules for claims about symbols. `hits` and `removed` are filled by whoever looks them up."""

    def __init__(self, project: Project, paths: Paths) -> None:
        self.project = project
        self.paths = paths
        self.hits: dict[str, list[Occurrence]] = {}
        self.removed: dict[str, Removal] = {}
        # Endings of constants -> the constants of the code that end so.
        self.longer: dict[str, set[str]] = {}

    def check(self, claim: Claim, beside: str, page: str) -> Finding:
        """Return what is known about a name."""
        *owners, name = parts(claim.text)
        hits = self.hits.get(name, [])
        roles = {hit.role for hit in hits}
        removal = self.removed.get(name)
        gone = self.only_called(hits) and removal is not None and removal.surely
        if not roles and name in self.project.stems:
            return Finding(claim, "ok", why="a file or folder of that name")
        if owners and roles and not gone:
            return self._member(claim, owners[-1], name, hits, page)
        if roles - {"text"} and not gone:
            return self._placed(claim, name, hits, beside)
        if roles and not gone and (removal is None or not removal.defined):
            return Finding(claim, "ok", why="named in a string")
        if claim.excused:
            return Finding(claim, "unchecked", why=EXCUSED)
        return self._absent(claim, beside, page, owners, name, gone)

    def _absent(self, claim: Claim, beside: str, page: str, owners: list[str], name: str, gone: bool) -> Finding:
        removal = self.removed.get(name)
        roles = {hit.role for hit in self.hits.get(name, []) if not _is_mocked(hit)}
        foreign = bool(owners) and not self.is_defined(owners[-1])
        meant = not (claim.mood.denied or claim.mood.elsewhere)
        proven = removal is not None and removal.role == "def" and not roles and not foreign
        heir = self.heir(name, self.is_defined)
        if removal is not None:
            # What a page began to name after it was gone is an example or somebody else's; a name that is no word is
            # ours all the same, for a page may be written from an older one, but in a sample it has to have a new name.
            known = not claim.tentative or (heir is not None and heir[1] >= repair.SURE_ENOUGH)
            told = known and _TELLING.fullmatch(name) is not None
            proven = proven and (told or self.paths.pages.said_before(removal.change, page, name))
        # A name of several words whose definition went, on a page that had it then, is ours whatever stands around it.
        ours = (
            removal is not None
            and not roles
            and not foreign
            and removal.defined
            and removal.role in ("def", "local")
            and _TELLING.fullmatch(name) is not None
            and not claim.fenced
            and self.paths.pages.said_before(removal.change, page, name)
        )
        proven = proven or ours
        meant = meant or (ours and not claim.mood.denied)
        if (
            removal is not None
            and heir is None
            and self.paths.pages.was_left_in(removal.change, removal.path, page, name)
        ):
            proven = False  # whoever removed it read the page: it is somebody else's name now
        # "`reset` reads the rows, no healing needed": what another part of the sentence denies is not the name.
        near = claim.mood.negated and (claim.mood.nearly_denied or (claim.tentative and not ours))
        if near and heir is None:
            proven = False
        nowhere = self._is_misplaced(claim, beside, roles) or (not roles and self._is_no_member(claim, owners))
        sure = meant and (proven or nowhere)
        constant = self._constant(claim, page, name, roles) if meant else None
        if constant is not None:
            return constant
        if removal is None and (claim.tentative or foreign) and not sure:
            return Finding(claim, "unchecked", why="not a name of this project's history")
        since = removal.change if removal else None
        if heir:
            new = claim.text[: len(claim.text) - len(name)] + heir[0]
            return Finding(claim, "moved", True, new, heir[1], False, since, "renamed", sure)
        why = "still called, but no longer defined" if gone else "not found in the code"
        return Finding(claim, "missing", True, since=since, why=why, sure=sure)

    def _is_misplaced(self, claim: Claim, beside: str, roles: set[str]) -> bool:
        """Return whether the line is about code that is here, and neither it nor any other has the name."""
        if roles or not (claim.beside or claim.within) or claim.tentative or claim.fenced:
            return False
        here = self.paths.now_at(claim.within or claim.beside, beside)
        if here is None or not symbols.has_grammar(here):
            return False
        # A file too large to be parsed has its words all the same.
        text = self.project.read_text(here, MAX_WORDS)
        return bool(text) and parts(claim.text)[-1] not in text

    def _is_no_member(self, claim: Claim, owners: list[str]) -> bool:
        """Return whether the only class of that name is ours, inherits nothing, and its file lacks the member."""
        if not owners or claim.tentative or claim.fenced or claim.mood.example or claim.mood.negated:
            return False
        owner, name = owners[-1], parts(claim.text)[-1]
        defined = [hit for hit in self.hits.get(owner, []) if hit.role == "def"]
        if len(defined) != 1 or not defined[0].path.endswith(_PLAIN_CLASSES) or not owner[:1].isupper():
            return False
        text = self.project.read_text(defined[0].path, MAX_WORDS)
        plain = re.search(
            rf"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?class[ \t]+{owner}[ \t]*(?:implements[ \t][^{{\n]*)?[:{{]",
            text,
            re.M,
        )
        # What another class of the file has is called on that one: `Settings.getInstance()`.
        own = re.search(rf"(?<![\w$.]){re.escape(name)}\b|\b(?:self|this|cls|{owner})\??\.{re.escape(name)}\b", text)
        return plain is not None and own is None and "__getattr__" not in text and self._is_only(owner)

    def _is_only(self, owner: str) -> bool:
        """Return whether one place of the code declares the class: one definition was enough until now."""
        if not self.project.has_git:
            return False
        declared = rf"(class|interface|struct|enum|type|trait|object|namespace) +{owner}([^A-Za-z0-9_]|$)"
        return (
            len(list(self.project.git.stream("grep", "-h", "-I", "-E", "-e", declared, "HEAD", "--", separator=b"\n")))
            == 1
        )

    def _constant(self, claim: Claim, page: str, name: str, roles: set[str]) -> Finding | None:
        """Return that a variable has a prefix in the code, where nothing else has its name."""
        found = self.longer.get(name, set())
        if roles or claim.fenced or len(found) != 1 or not _CONSTANT.fullmatch(name):
            return None
        (longer,) = found
        if _STAND_IN.match(longer):
            return None
        if longer.removesuffix(name) in self.project.read_text(page, MAX_PAGE):
            return Finding(claim, "ok", why=f"the page gives its prefix: {longer}")
        # The longer one is another variable as often as not.
        return Finding(claim, "moved", True, longer, 0.85, why="has a prefix in the code")

    def _member(self, claim: Claim, owner: str, name: str, hits: list[Occurrence], page: str) -> Finding:
        """Check `Owner.name`: defined in that class or module, inherited, or at least used somewhere."""
        defined = [hit for hit in hits if hit.role == "def"]
        for hit in defined:
            around = re.split(r"\.|::", hit.container)[-1]
            if around in (owner, UNKNOWN_CONTAINER) or owner in posixpath.splitext(hit.path)[0].split("/"):
                return Finding(claim, "ok")
        autoloaded = self._autoloaded(claim, page)
        if autoloaded is not None:
            return autoloaded
        if self._is_no_member(claim, [owner]):
            why = f"not a member of {owner}"
            return Finding(claim, "missing", False, why=why, sure=not (claim.mood.denied or claim.mood.elsewhere))
        owners = [hit for hit in self.hits.get(owner, []) if hit.role == "def"]
        if not owners or not defined:
            return Finding(claim, "ok", why="used in the code")
        holders = {hit.container.rpartition(".")[2] for hit in defined}
        if any(repair.has_base(self.project, hit) for hit in owners):
            return Finding(claim, "ok", why="inherited")
        places = sorted(holders - {""})
        if len(places) == 1:
            cut = len(claim.text) - len(name)
            separator = claim.text[:cut][len(claim.text[:cut].rstrip(".:#->")) :]
            return Finding(claim, "moved", False, f"{places[0]}{separator}{name}", 0.6, why=f"now in {places[0]}")
        return Finding(claim, "moved" if defined else "missing", False, why=f"not a member of {owner}")

    def _autoloaded(self, claim: Claim, page: str) -> Finding | None:
        """Return what became of a Ruby constant by the file that its name says it is in."""
        if "::" not in claim.text or "Gemfile" not in self.project.by_name:
            return None
        path = "/".join(_underscored(part) for part in parts(claim.text)) + ".rb"
        if self.project.ending_in(path) or claim.mood.denied:
            return None
        fate = self.paths.history.fate(path)
        if fate is None or not fate.source.endswith("/" + path) or claim.mood.gone:
            return None
        if not self.paths.pages.said_before(fate.change, page, claim.text):
            return None  # a constant may be set where no file has its name
        lead = fate.source[: -len(path)]
        if fate.target.startswith(lead) and fate.target.endswith(".rb"):
            new = "::".join(_camelised(part) for part in fate.target[len(lead) : -3].split("/"))
            return Finding(claim, "moved", True, new, fate.confidence, False, fate.change, "renamed", True)
        return Finding(claim, "missing", True, since=fate.change, why="its file was removed", sure=True)

    def _placed(self, claim: Claim, name: str, hits: list[Occurrence], beside: str) -> Finding:
        """Check that a symbol is in the file the sentence names beside it."""
        if not claim.within:
            return Finding(claim, "ok")
        here = self.paths.now_at(claim.within, beside)
        inside = {hit.role for hit in hits if hit.path == here or hit.path.startswith(f"{here}/")}
        removed = here is None and self.paths.was_here(claim.within, beside)
        known = here is not None and (symbols.is_source(here) or here in self.project.folders)
        if "def" in inside or not (removed or known):
            return Finding(claim, "ok")
        defined = sorted({hit.path for hit in hits if hit.role == "def"})
        if any(path.endswith(f"/{claim.within.removeprefix('./')}") for path in defined):
            return Finding(claim, "ok")  # another file of that name has it
        removal = self.removed.get(name)
        # A name may be said to be "in" a file that only uses it, unless its definition once was there.
        left = removal is not None and removal.defined and self.paths.now_at(removal.path, "") == here
        if not defined or (inside and not left):
            return Finding(claim, "ok", why="used in the code")
        since = removal.change if removal else None
        # A file is no repair for the name of a test that is run.
        target = defined[0] if len(defined) == 1 and not claim.command else None
        confidence = 0.9 if target else 0.0
        code = here is not None and (symbols.has_grammar(here) or (claim.command and here in self.project.folders))
        sure = not inside and not claim.mood.denied and code
        why = f"now in {', '.join(defined[:3])}"
        told = target is not None
        return Finding(claim, "moved", False, target, confidence, False, since, why, sure, in_file=told)

    def heir(self, name: str, exists: Callable[[str], bool]) -> tuple[str, float] | None:
        """Return the name that took this one's place and exists now, following renames of renames."""
        confidence = 1.0
        for _ in range(MAX_HEIRS):
            removal = self.removed.get(name)
            if removal is None or not removal.candidates:
                return None
            living = [pair for pair in removal.candidates if exists(pair[0])]
            name, score = (living or list(removal.candidates))[0]
            confidence *= score
            if living:
                return name, round(confidence, 2)
        return None

    def is_defined(self, name: str) -> bool:
        """Return whether the code defines the name."""
        return any(hit.role == "def" for hit in self.hits.get(name, ()))

    @staticmethod
    def only_called(hits: list[Occurrence]) -> bool:
        """Return whether a grammar saw the name used, or mocked in a test, and nowhere defined."""
        seen = [hit for hit in hits if hit.role != "text"]
        return 0 < len(seen) < symbols.WIDELY_USED and all(
            (hit.role == "use" and hit.container != UNKNOWN_CONTAINER) or _is_mocked(hit) for hit in seen
        )

    def find_longer(self, claims: Iterable[Claim]) -> None:
        """Find the constants of the code that end in a claimed one that is nowhere."""
        absent = {claim.text for claim in claims if claim.kind == "symbol" and not self.hits.get(claim.text)}
        constants = sorted(name for name in absent if _CONSTANT.fullmatch(name))
        if not self.project.has_git or not constants:
            return
        pattern = f"[A-Z][A-Z0-9_]*_({'|'.join(constants)})"
        arguments = ("grep", "-h", "-o", "-I", "-w", "-E", "-e", pattern, "HEAD", "--")
        for line in self.project.git.stream(*arguments, separator=b"\n"):
            found = line.decode("utf-8", errors="replace").strip()
            for constant in constants:
                if found.endswith("_" + constant):
                    self.longer.setdefault(constant, set()).add(found)


def _is_mocked(hit: Occurrence) -> bool:
    return hit.weak and symbols.is_aside(hit.path)


def parts(text: str) -> list[str]:
    """Return the parts of a dotted name."""
    return [part.rstrip("!?") for part in _PARTS.split(text) if part]


def _underscored(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _camelised(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
