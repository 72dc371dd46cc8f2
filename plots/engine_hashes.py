# SPDX-License-Identifier: Apache-2.0
"""python3 plots/engine_hashes.py [--commit COMMIT]: a hash of each engine's code, as JSON.

It changes when code changes that could change what the engine does or costs, and not with comments,
blanks, or files that the engine does not use. The code is the source that registers the engine, all
that it includes from this repository, the sources that implement these headers, and the options
that they are compiled with. Needs nothing but Python and, for a commit, git.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULE = "1"  # counted up whenever the same code gets another hash: those of two rules do not compare
FOLDERS = ("cmake", "datasets", "kernels", "tests/benchmarks")
HEADERS = (".hpp", ".cuh", ".h")
UNITS = (".cpp", ".cu", ".in")  # .in: a source that CMake fills in, once for each part of a kind
# How engines are named, switched and given graphs: nothing of it runs in a traversal, and what it
# decides (engine, toggles, the graph's hash) the rows say themselves. Included by all engines, it
# would make the rows of all of them stale with each new key of a spec.
CONTRACT = (
    "kernels/engine.hpp",
    "kernels/toggle.hpp",
    "kernels/cuda/engines/make_engine.hpp",
)
OF_A_TRAVERSAL = ("kernels/", "datasets/graph/")  # what the contract includes that is code of one
# Options of host code; those of a folder's sources are in the CMakeLists.txt there and above.
OPTIONS = "cmake/BfslabOptions.cmake"

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<splice>\\\n)
    |(?P<newline>\n)
    |(?P<blank>[^\S\n]+)
    |(?P<text>(?:u8|[uUL])?R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)"
        |(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><<=|>>=|<=>|->\*|\.\.\.|\#\#|::|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_INCLUDE = re.compile(r'# ?include ?"([^"]+)"')


def code(text: str) -> tuple[str, tuple[str, ...]]:
    """A C++ or CUDA source without comments, its tokens one blank apart and each directive a line
    of its own; and what it includes in quotation marks, which is left out of the first."""
    out: list[str] = []
    includes: list[str] = []
    directive: list[str] | None = None
    starts_line = True
    for token in _TOKEN.finditer(text + "\n"):
        kind = token.lastgroup if token.lastgroup != "end" else "text"
        if directive is None and kind == "sign" and token[0] == "#" and starts_line:
            directive = []
        if directive is None:
            if kind not in ("comment", "splice", "newline", "blank"):
                out.append(token[0])
            starts_line = kind == "newline" or (starts_line and kind in ("comment", "blank"))
        elif kind == "newline":
            line = re.sub(r" +", " ", "".join(directive)).strip()
            included = _INCLUDE.fullmatch(line)
            includes += [included[1]] if included else []
            out += [] if included else [f"\n{line}\n"]
            directive, starts_line = None, True
        elif kind != "splice":  # blanks count here: `#define F (x)` takes no argument
            directive.append(" " if kind in ("comment", "blank") else token[0])
    return " ".join(out), tuple(includes)


_REGISTERED = re.compile(r'\b(Register[A-Z]\w*) \w+ [({](?:[^";]*"([^"]*)")?')
_LINKED = re.compile(r"\b(?:Register[A-Z]|supply\b)")
_REGISTRY = re.compile(r"\bclass (Register[A-Z]\w*) \{")
_SUPPLIED = re.compile(r"\b(\w+) \. supply \(")
_SUPPLIABLE = re.compile(r"\bconstinit [^;{]*?\b(\w+) \{")
# A function's name behind its type or its class; in a call it follows an operator or nothing.
_HEAD = re.compile(
    r"(?!\s*(?:return|throw|if|else|for|while|switch|using) )[^=.]*?[\w>*&:] (?!__)(\w+) \("
)


class Source:
    """What one source says of itself. Others are linked to it by what it registers as, supplies
    (kernels/cuda_function.hpp) or defines."""

    def __init__(self, text: str) -> None:
        self.code, self.includes = code(text)
        self.digest = hashlib.sha256(self.code.encode()).hexdigest()
        self.registered: list[tuple[str, str]] = _REGISTERED.findall(self.code)  # (registry, name)
        self.registries: list[str] = _REGISTRY.findall(self.code)
        self.supplied: list[str] = _SUPPLIED.findall(self.code)
        self.suppliable: list[str] = _SUPPLIABLE.findall(self.code)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.code.split())

    @cached_property
    def defined(self) -> frozenset[str]:
        return self._functions("{")

    @cached_property
    def declared(self) -> frozenset[str]:
        return self._functions(";")

    def _functions(self, wanted: str) -> frozenset[str]:
        """Names of the functions whose heads end so: `{` where their bodies follow, or `;`."""
        names = set()
        for head, end in re.findall(r"([^;{}]*)([;{}])", self.code):
            # Unbalanced: a lambda among the arguments of a call.
            if end == wanted and "(" in head and head.count("(") == head.count(")"):
                found = _HEAD.match(head)
                names |= {found[1]} if found else set()
        return frozenset(names)


source = cache(Source)  # commits share most of their sources


class Code:
    """The sources of a working tree or a commit. `texts`: by path from the repository's root."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.engines: dict[str, str] = {}  # by name: the source that registers it
        self.registering = defaultdict(list)
        self.supplying = defaultdict(list)
        self.units = defaultdict(list)  # by folder: sources that are reached by their headers
        self._hashes: dict[str, str] = {}
        for path, text in texts.items():
            if not path.endswith(UNITS):
                continue
            if path.startswith("tests/") and Path(path).stem.endswith("_benchmark"):
                self.engines[Path(path).stem] = path  # by its program's name
                continue
            # Most do neither, and are read only if they are reached.
            known = self.source(path) if _LINKED.search(text) else None
            for registry, name in known.registered if known else ():
                self.registering[registry].append(path)
                if registry == "RegisterEngine":
                    self.engines[name] = path
            for name in known.supplied if known else ():
                self.supplying[name].append(path)
            if not known or not (known.registered or known.supplied):
                self.units[str(Path(path).parent)].append(path)

    def source(self, path: str) -> Source:
        return source(self.texts[path])

    def implementing(self, header: str) -> list[str]:
        """Sources of the header's folder with its name, or with the body of what it declares."""
        if not header.endswith(HEADERS):
            return []
        return [
            path
            for path in self.units[str(Path(header).parent)]
            if Path(path).stem == Path(header).stem
            or self.source(path).defined & self.source(header).declared
        ]

    def used_by(self, engine: str) -> set[str]:
        """The files whose code an engine's is. Throws KeyError where there is no such engine."""
        used: set[str] = set()
        waiting = {self.engines[engine]}
        called: set[str] = set()
        suppliable: set[str] = set()
        while waiting:
            path = waiting.pop()
            known = self.source(path)
            used.add(path)
            reached = [each for name in known.includes for each in self._named(name)]
            if path in CONTRACT:
                reached = [each for each in reached if each.startswith(OF_A_TRAVERSAL)]
            else:
                reached += self.implementing(path)
                reached += [by for name in known.registries for by in self.registering[name]]
            suppliable |= set(known.suppliable)
            called |= known.words if path.endswith(UNITS) else set()
            reached += [by for name in suppliable & called for by in self.supplying[name]]
            waiting |= set(reached) - used
        return used - set(CONTRACT)

    def _named(self, include: str) -> list[str]:
        """Files that a quoted include means; several in a source that CMake fills in."""
        if "@" not in include:
            return [include] if include in self.texts else []
        pattern = re.sub(r"@\w+@", "*", include)
        return [path for path in self.texts if fnmatchcase(path, pattern)]

    def hash_of(self, engine: str) -> str:
        """Of contents without paths: code that only moves stays the same. Throws as used_by."""
        if engine not in self._hashes:
            self._hashes[engine] = self._hash_of(engine)
        return self._hashes[engine]

    def _hash_of(self, engine: str) -> str:
        used = self.used_by(engine)
        lists = {f"{folder}/CMakeLists.txt" for path in used for folder in Path(path).parents}
        parts = {self.source(path).digest for path in used}
        for path in {OPTIONS, *lists} & set(self.texts):
            parts |= compile_options(self.texts[path])
        return f"{RULE}-{hashlib.sha256(chr(10).join(sorted(parts)).encode()).hexdigest()[:16]}"

    def hashes(self) -> dict[str, str]:
        return {engine: self.hash_of(engine) for engine in sorted(self.engines)}


def compile_options(text: str) -> set[str]:
    """What a CMake file hands to compilers, without warnings and debugging information, which do
    not change what is measured. The processor (BFSLAB_NATIVE) and the GPU (CUDA_ARCHITECTURES) that
    a program is compiled for are no part of a hash: they follow from the machine that measures, and
    environment.json has them."""
    words = re.findall(r"(?<![\w$<{/.-])--?[A-Za-z][\w=+-]*", re.sub(r"#.*", "", text))
    idle = re.compile(r"-W|--Werror|-Xcompiler|-g\d?$|-lineinfo$")
    return {word for word in words if not idle.match(word)}


def working_tree(root: Path = ROOT) -> Code:
    texts = {}
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.is_file() and _matters(path.name):
                texts[path.relative_to(root).as_posix()] = path.read_text(errors="replace")
    return Code(texts)


def at_commit(commit: str, root: Path = ROOT) -> Code | None:
    """None where git does not know the commit, or there is no git."""
    if not re.fullmatch("[0-9a-f]{7,64}", commit):
        return None
    listed = _git(root, "ls-tree", "-r", "--full-tree", commit, *FOLDERS)
    if listed is None:
        return None
    blobs = {}
    for line in listed.decode(errors="replace").splitlines():
        facts, path = line.split("\t", 1)
        if _matters(path):
            blobs[path] = facts.split()[2]
    contents = _git(root, "cat-file", "--batch", given="\n".join(blobs.values()).encode())
    if contents is None:
        return None
    texts, at = {}, 0
    for path in blobs:  # in their order: "ID blob SIZE", a line break, the contents, a line break
        end = contents.index(b"\n", at)
        size = int(contents[at:end].split()[2])
        texts[path] = contents[end + 1 : end + 1 + size].decode(errors="replace")
        at = end + 2 + size
    return Code(texts)


def _matters(path: str) -> bool:
    return path.endswith((*HEADERS, *UNITS, ".cmake", "CMakeLists.txt"))


def _git(root: Path, *words: str, given: bytes = b"") -> bytes | None:
    # safe.directory: a checkout that another user owns (a container's mount) has commits, too.
    command = ["git", "-c", "safe.directory=*", "-C", str(root), *words]
    try:
        answer = subprocess.run(command, input=given, capture_output=True, check=False)
    except OSError:
        return None
    return answer.stdout if answer.returncode == 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints a hash of each engine's code, as JSON.")
    parser.add_argument("--commit", help="of this commit; default: of the files as they are")
    parser.add_argument("--files", metavar="ENGINE", help="list the files that its hash is of")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there, not print")
    options = parser.parse_args()
    sources = at_commit(options.commit) if options.commit else working_tree()
    if sources is None:
        print(f"git does not know the commit {options.commit} here", file=sys.stderr)
        return 2
    if options.files:
        if options.files not in sources.engines:
            print(f"there is no engine {options.files}", file=sys.stderr)
            return 2
        print("\n".join(sorted(sources.used_by(options.files))))
    elif options.output:
        options.output.write_text(json.dumps(sources.hashes()))
    else:
        print(json.dumps(sources.hashes(), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
