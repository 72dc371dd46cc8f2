# SPDX-License-Identifier: Apache-2.0
"""The steps of an image's recipe in a fresh root file system, without docker and apptainer.

    fresh_root.py [Dockerfile|bfslab.def]

mmdebstrap makes Debian, as small as the base image is; HEAD is cloned, and what the recipe copies
of it is copied. Then its steps run, and the commands that its comments name, as the image would run
them. Needs root and a network, minutes, and 2 GB of TMPDIR, which are removed. What setup.sh, make
and CMake read (JOBS, CUDA, NATIVE, CMAKE_*, PIP_*, *_proxy) is passed on; settings of pip and
certificates that the administrator added here are copied. Exit code 3: it cannot be tried
here, and why.
  MADE=DIR   a fresh root that mmdebstrap made before, which is copied
  BIND=DIR   a folder of this machine that is in the new root, too, as that of ccache
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
CODENAMES = {"debian:12": "bookworm"}
PASSED_ON = re.compile(
    r"JOBS|COMMIT|CUDA|CUDA_ARCHITECTURES|NATIVE|CMAKE_\w+|CCACHE_\w+|PIP_\w+|\w+_proxy"
)
PLAIN = {"HOME": "/root", "LANG": "C.UTF-8",
         "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}  # fmt: skip
# Settings of the machine's administrator for every program; read by update-ca-certificates and pip.
SETTINGS = ["etc/resolv.conf", "etc/hosts", "etc/pip.conf", "usr/local/share/ca-certificates"]


class Recipe:
    """`base` image, `copies` (source, place), `steps` of a shell with what they find in the
    environment, and the `environment` of the image, in which its `program` is run."""

    def __init__(self, path: Path):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".def":
            part = dict(re.findall(r"^%(\w+)\n(.*?)(?=^%|\Z)", text, re.MULTILINE | re.DOTALL))
            self.base = re.search(r"^From: (\S+)", text, re.MULTILINE)[1]
            self.copies = [
                tuple(line.split()) for line in part["files"].splitlines() if line.strip()
            ]
            post = re.sub(r"\{\{ (\w+) \}\}", r"${\1:-}", part["post"])
            self.steps = [(post, {})]
            self.environment = dict(re.findall(r"export (\w+)=(\S+)", part["environment"]))
            self.program = re.search(r"exec (\S+) ", part["runscript"])[1]
            calls = re.findall(r"apptainer (run|exec) \S+\.sif (.*)", part["help"])
            self.examples = [
                (f"{self.program} " if kind == "run" else "") + call for kind, call in calls
            ]
        else:
            lines = re.findall(r"^([A-Z]+) (.*)", text, re.MULTILINE)
            self.environment = dict(
                line.split("=", 1) for word, line in lines if word in ("ARG", "ENV")
            )
            self.base = self.environment.pop("BASE")
            self.copies = [tuple(line.split()) for word, line in lines if word == "COPY"]
            found: dict[str, str] = {}  # so far: a step knows what stands before it
            self.steps = []
            for word, line in lines:
                if word in ("ARG", "ENV"):
                    found |= dict([line.split("=", 1)])
                elif word == "RUN":
                    self.steps.append((line, dict(found)))
            self.program = re.search(r'^ENTRYPOINT \["(\S+)"\]', text, re.MULTILINE)[1]
            calls = re.findall(r"docker run --rm -v \S+(?: --entrypoint (\S+))? bfslab (.*)", text)
            self.examples = [f"{other or self.program} {call}" for other, call in calls]


def why_not(recipe: Recipe) -> str:
    """Returns why this machine cannot try the recipe, or ""."""
    if recipe.base not in CODENAMES:
        return f"{recipe.base} is none of {', '.join(CODENAMES)}, which mmdebstrap makes"
    if os.geteuid() != 0:
        return "only root makes and enters a root file system"
    tools = ("mmdebstrap", "unshare", "git")
    lacking = " ".join(name for name in tools if shutil.which(name) is None)
    return lacking and f"{lacking} missing (apt-get install mmdebstrap util-linux git)"


def make_root(recipe: Recipe, folder: Path) -> Path:
    system, clone = folder / "fs", folder / "clone"
    if made := os.environ.get("MADE"):
        subprocess.run(["cp", "-a", "-T", made, system], check=True)
    else:
        call = ["mmdebstrap", "--variant=minbase", CODENAMES[recipe.base], str(system)]
        print("fresh_root:", *call, flush=True)
        subprocess.run(call, check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["git", "clone", "-q", HERE, clone], check=True)
    for source, place in recipe.copies:
        target = system / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", "-T", clone / source, target], check=True)
        if source == ".":
            for name in (clone / ".dockerignore").read_text(encoding="utf-8").split():
                shutil.rmtree(target / name, ignore_errors=True)
    for name in SETTINGS:
        if Path("/", name).exists():
            subprocess.run(["cp", "-r", "-L", "-T", f"/{name}", system / name], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", system / "proc"], check=True)
    shared = {"/dev": "/dev"}
    if bind := os.environ.get("BIND"):
        shared[bind] = bind
    for here, there in shared.items():
        target = system / there.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--rbind", here, target], check=True)
    (system / "work").mkdir()
    return system


def follow(recipe: Recipe, system: Path) -> int:
    passed_on = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    calls = [(call, recipe.environment) for call in (f"{recipe.program} version", *recipe.examples)]
    for step, environment in [*recipe.steps, *calls]:
        print(f"fresh_root: {step.strip()}", flush=True)
        status = subprocess.run(
            ["chroot", system, "sh", "-e", "-c", f"cd /work\n{step}"],
            env=PLAIN | environment | passed_on,
        ).returncode
        if status != 0:
            print(f"fresh_root: that ended with exit code {status}", file=sys.stderr)
            return 1
    drawn = [str(path.relative_to(system)) for path in system.glob("work/results/**/*.png")]
    print("fresh_root: figures:", *drawn)
    return 0 if drawn else 1


def main() -> int:
    recipe = Recipe(HERE / "containers" / (sys.argv[1] if len(sys.argv) > 1 else "Dockerfile"))
    if reason := why_not(recipe):
        print(f"fresh_root: cannot be tried here: {reason}", file=sys.stderr)
        return 3
    if inside := os.environ.get("BFSLAB_FRESH_ROOT"):
        return follow(recipe, make_root(recipe, Path(inside)))
    # Mounts and processes that end with the call: what is removed then has none of this machine.
    own = "unshare --mount --propagation private --pid --fork --kill-child".split()
    with tempfile.TemporaryDirectory(prefix="bfslab-root-") as folder:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True
        )
        environment = {"COMMIT": head.stdout.strip()} | os.environ | {"BFSLAB_FRESH_ROOT": folder}
        return subprocess.run([*own, sys.executable, *sys.argv], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
