"""scripts/setup.sh on a made-up machine: a PATH of stand-ins that write down their calls."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REAL_TOOLS = "basename bash cat chmod dirname env mkdir mktemp rm sha256sum tail touch true".split()
BUILD_TOOLS = ["cmake", "g++", "make", "pkg-config", "git"]

RECORDING = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
"""
# Knows every package but those in $LACKING, as dpkg-query does: others on stdout, exit 1.
DPKG_QUERY = """#!/bin/sh
status=0
for name in "$@"; do
  case "$name" in -*|'$'*) continue ;; esac
  case " $LACKING " in
    *" $name "*) status=1 ;;
    *) echo "$name installed" ;;
  esac
done
exit $status
"""


class Machine:
    """A copy of the scripts in a tree of their own, and a PATH that has nothing else."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.path = folder / "bin"
        self.calls_file = folder / "calls"
        self.lacking: list[str] = []
        self.user = 0
        (self.tree / "scripts").mkdir(parents=True)
        self.path.mkdir()
        shutil.copy(ROOT / "scripts/setup.sh", self.tree / "scripts")
        (self.tree / "requirements.txt").write_text("numpy==1\n")
        for tool in REAL_TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool))
        for tool in [*BUILD_TOOLS, "apt-get"]:
            self.add(tool, RECORDING)
        self.add("dpkg-query", DPKG_QUERY)
        self.add("id", "#!/bin/sh\necho $USER_ID\n")
        self.add("python3", FAKE_PYTHON)

    def add(self, name: str, text: str) -> None:
        tool = self.path / name
        tool.write_text(text)
        tool.chmod(0o755)

    def remove(self, name: str) -> None:
        (self.path / name).unlink()

    def setup(self, *purposes: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.path / "bash", self.tree / "scripts/setup.sh", *purposes],
            env={
                "PATH": str(self.path),
                "CALLS": str(self.calls_file),
                "LACKING": " ".join(self.lacking),
                "USER_ID": str(self.user),
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    @property
    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []


# `python3 -m venv .venv` makes an interpreter that records what pip is asked for.
FAKE_PYTHON = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in
  *"-m venv"*) mkdir -p .venv/bin && cat "$0" > .venv/bin/python && chmod 755 .venv/bin/python ;;
  *"pip --version"*) [ -e .venv/.pip ] ;;
esac
"""


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


def test_nothing_is_called_where_all_is_there(machine):
    first = machine.setup("quick")
    assert first.returncode == 0, first.stderr
    assert [call for call in machine.calls if "pip install" in call]
    machine.calls_file.unlink()

    second = machine.setup("quick")
    assert second.returncode == 0
    assert second.stderr == ""
    assert machine.calls == []  # neither apt-get, nor pip, nor python


def test_changed_requirements_are_installed(machine):
    machine.setup("quick")
    machine.calls_file.unlink()
    (machine.tree / "requirements.txt").write_text("numpy==2\n")
    assert machine.setup("quick").returncode == 0
    assert [call for call in machine.calls if "pip install" in call]


def test_a_failed_pip_is_no_success(machine):
    machine.add("python3", FAKE_PYTHON.replace("esac", '  *"pip install"*) exit 1 ;;\nesac'))
    answer = machine.setup("quick")
    assert answer.returncode == 2
    assert "pip install -r requirements.txt" in answer.stderr
    assert machine.setup("quick").returncode == 2  # not taken for done


def test_missing_packages_without_root_are_named(machine):
    machine.user = 1000
    machine.lacking = ["libfmt-dev", "zlib1g-dev"]
    machine.remove("cmake")
    answer = machine.setup("build")
    assert answer.returncode == 2
    assert "sudo apt-get install -y cmake libfmt-dev zlib1g-dev" in answer.stderr
    assert machine.calls == []


def test_missing_packages_are_installed_as_root_and_only_they(machine):
    machine.lacking = ["libfmt-dev"]
    assert machine.setup("build").returncode == 0
    (call,) = machine.calls
    assert call.startswith("apt-get install ")
    assert call.endswith(" libfmt-dev")


def test_missing_packages_are_installed_through_sudo(machine):
    machine.user = 1000
    machine.lacking = ["libfmt-dev"]
    machine.add("sudo", '#!/bin/sh\necho "sudo $*" >> "$CALLS"\nshift\nexec "$@"\n')
    assert machine.setup("build").returncode == 0
    assert machine.calls[0] == "sudo -n true"
    assert any(re.match(r"sudo -n env .*apt-get install .*libfmt-dev$", c) for c in machine.calls)


def test_sudo_that_asks_for_a_password_is_not_used(machine):
    machine.user = 1000
    machine.lacking = ["libfmt-dev"]
    machine.add("sudo", "#!/bin/sh\nexit 1\n")
    answer = machine.setup("build")
    assert answer.returncode == 2
    assert "apt-get install -y libfmt-dev" in answer.stderr


def test_without_apt_the_packages_are_named(machine):
    machine.remove("apt-get")
    machine.remove("g++")
    answer = machine.setup("build")
    assert answer.returncode == 2
    assert "g++" in answer.stderr


def test_installing_can_be_forbidden(machine):
    machine.lacking = ["libfmt-dev"]
    answer = machine.setup("build", BFSLAB_INSTALL="no")
    assert answer.returncode == 2
    assert machine.calls == []
    assert machine.setup("build", BFSLAB_INSTALL="skip").returncode == 0


def test_a_failing_apt_names_the_command(machine):
    machine.lacking = ["libfmt-dev"]
    machine.add("apt-get", RECORDING + "echo no route to the archive >&2\nexit 100\n")
    answer = machine.setup("build")
    assert answer.returncode == 2
    assert "no route to the archive" in answer.stderr
    assert "apt-get install -y libfmt-dev" in answer.stderr


def test_optional_packages_are_tried_once(machine):
    machine.lacking = ["libcurl4-openssl-dev"]
    machine.add("apt-get", RECORDING + "exit 100\n")
    first = machine.setup("build")
    assert first.returncode == 0
    assert "continuing without libcurl4-openssl-dev" in first.stderr
    calls = len(machine.calls)
    assert calls > 0
    assert machine.setup("build").returncode == 0
    assert len(machine.calls) == calls


def test_tests_want_more_than_a_build(machine):
    machine.user = 1000
    machine.lacking = ["libgtest-dev"]
    assert machine.setup("build").returncode == 0
    assert machine.setup("test").returncode == 2


def test_gpu_tests_without_a_gpu_install_nothing(machine):
    machine.lacking = ["libgtest-dev"]
    answer = machine.setup("gpu-test")
    assert answer.returncode == 2
    assert "no GPU here" in answer.stderr
    assert machine.calls == []


def test_gpu_tests_need_cuda_but_no_git(machine):
    gpu = '#!/bin/sh\n[ "$LIMITED" = yes ] && echo "GPU 0: Made-up GPU"\n'
    machine.add("nvidia-smi", gpu)
    # With a broken driver nvidia-smi may hang: it is asked with a limit.
    machine.add("timeout", '#!/bin/sh\n[ "$1" -gt 0 ] && shift && LIMITED=yes exec "$@"\n')
    machine.remove("git")
    without = machine.setup("gpu-test", CUDACXX="/nowhere/nvcc")
    assert without.returncode == 2
    assert "no nvcc" in without.stderr
    machine.add("nvcc", RECORDING)
    assert machine.setup("gpu-test").returncode == 0
    assert machine.calls == []


def test_unknown_purpose(machine):
    answer = machine.setup("dance")
    assert answer.returncode == 2
    assert "dance" in answer.stderr
    assert "quick" in answer.stderr


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").glob("*.sh")), ids=lambda p: p.name)
def test_scripts_parse(script):
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    assert os.access(script, os.X_OK)
