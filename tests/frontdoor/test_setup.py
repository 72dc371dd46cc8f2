# SPDX-License-Identifier: Apache-2.0
"""scripts/setup.sh on a made-up machine: a PATH of stand-ins that write down their calls."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REAL_TOOLS = (
    "basename bash cat chmod dirname env grep mkdir mktemp rm sha256sum tail touch true".split()
)
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
        shutil.copy(ROOT / "scripts/python.sh", self.tree / "scripts")
        shutil.copy(ROOT / "scripts/have_packages.py", self.tree / "scripts")
        (self.tree / "requirements").mkdir()
        for name in ("drawing", "figures", "tests", "browser"):
            (self.tree / f"requirements/{name}.txt").write_text("numpy>=1\n")
            (self.tree / f"requirements/{name}.lock").write_text("numpy==1\n")
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
  *have_packages*) echo "$PACKAGES"; [ "$PACKAGES" = "numpy 1.26" ] ;;
esac
"""
NO_INDEX = FAKE_PYTHON.replace("esac", '  *"pip install"*) exit 1 ;;\nesac')


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
    (machine.tree / "requirements/drawing.lock").write_text("numpy==2\n")
    assert machine.setup("quick").returncode == 0
    assert [call for call in machine.calls if "pip install" in call]


def test_packages_come_by_their_hashes(machine):
    machine.setup("quick")
    (call,) = [call for call in machine.calls if "pip install" in call]
    assert call.endswith("--require-hashes -r requirements/drawing.lock")


def test_what_tests_need_includes_what_drawing_needs(machine):
    machine.setup("test")
    machine.calls_file.unlink()
    assert machine.setup("quick", "figures").returncode == 0
    assert machine.calls == []


def test_a_failed_pip_is_no_success(machine):
    machine.add("python3", NO_INDEX)
    for _ in range(2):  # the second is not taken for done
        answer = machine.setup("quick", PACKAGES="numpy>=1")
        assert answer.returncode == 3
        assert "this machine's own Python lacks numpy>=1" in answer.stderr
        assert "BFSLAB_WHEELS" in answer.stderr
        assert not (machine.tree / ".venv").exists()


def test_without_an_index_the_packages_of_the_machine_do(machine):
    machine.add("python3", NO_INDEX)
    answer = machine.setup("quick", PACKAGES="numpy 1.26")
    assert answer.returncode == 0
    assert "this machine's own will do: numpy 1.26" in answer.stderr
    machine.calls_file.unlink()
    assert machine.setup("quick").returncode == 0
    assert not [call for call in machine.calls if "pip install" in call]  # not waited for again
    machine.add("python3.99", NO_INDEX)
    other = machine.setup("quick", PYTHON="python3.99", PACKAGES="numpy>=1")
    assert other.returncode == 3  # another Python has others
    assert machine.setup("test", PACKAGES="numpy>=1").returncode == 3  # these are others


def test_a_venv_that_worked_is_not_lost_where_more_cannot_be_had(machine):
    machine.setup("quick")
    (machine.tree / ".venv/.pip").touch()
    python = machine.tree / ".venv/bin/python"
    python.write_text(NO_INDEX)
    assert machine.setup("test", PACKAGES="pytest>=7").returncode == 3
    assert python.exists()


def test_a_folder_of_wheels_is_taken_by_range_and_without_an_index(machine):
    machine.setup("quick", BFSLAB_WHEELS="/wheels")
    (call,) = [call for call in machine.calls if "pip install" in call]
    assert call.endswith("--no-index --find-links /wheels -r requirements/drawing.txt")


def test_venv_is_no_condition(machine):
    """Debian without python3-venv: what the machine has does; the package is not insisted on."""
    machine.user = 1000
    machine.lacking = ["python3-venv"]
    without = FAKE_PYTHON.replace('*"-m venv"*)', '*ensurepip*|*"-m venv"*) exit 1 ;;\n  never)')
    machine.add("python3", without)
    assert machine.setup("quick", PACKAGES="numpy 1.26").returncode == 0


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
    answer = machine.setup("test")
    assert answer.returncode == 3  # what can be done without is
    assert "the C++ tests are left out" in answer.stderr
    assert "libgtest-dev" in answer.stderr


def test_several_purposes_want_what_each_of_them_wants(machine):
    machine.lacking = ["libopenmpi-dev"]
    assert machine.setup("build", "quick").returncode == 0
    assert any("libopenmpi-dev" in call for call in machine.calls)


def test_optional_packages_of_another_purpose_are_tried(machine):
    machine.lacking = ["libcurl4-openssl-dev", "libgtest-dev"]
    machine.add("apt-get", RECORDING + "exit 100\n")
    machine.setup("build")
    calls = len(machine.calls)
    machine.setup("test")
    assert any("libgtest-dev" in call for call in machine.calls[calls:])


def test_a_browser_is_installed_where_there_is_none(machine):
    assert machine.setup("browser").returncode == 0
    assert any(call.endswith(" chromium-headless-shell") for call in machine.calls)
    assert any("-r requirements/browser.lock" in call for call in machine.calls)


def test_a_browser_that_is_here_serves_and_one_that_cannot_be_had_is_no_failure(machine):
    machine.add("apt-get", RECORDING + "exit 100\n")
    without = machine.setup("browser")
    assert without.returncode == 0 and "continuing without chromium-headless" in without.stderr
    machine.calls_file.unlink()
    machine.add("chromium", RECORDING)
    (machine.tree / "build/.optional-packages-tried").unlink()
    assert machine.setup("browser").returncode == 0 and machine.calls == []


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
