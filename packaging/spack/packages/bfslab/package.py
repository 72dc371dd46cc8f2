# SPDX-License-Identifier: Apache-2.0
"""bfslab as a package of Spack 1.0 or newer (docs/install.md), built from the clone around it."""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

CLONE = Path(__file__).resolve().parents[4]


class Bfslab(CMakePackage, CudaPackage):
    """A laboratory for breadth-first search on GPUs and CPUs: techniques of five publications as
    switches over shared code, measured under one protocol, with every answer checked."""

    git = f"file://{CLONE}"
    license("Apache-2.0")

    version("main", branch="main")

    variant("native", default=False, description="Use all instructions of this processor")
    variant("mpi", default=True, description="Engines over several processes and machines")
    variant("nccl", default=False, when="+mpi +cuda", description="Engines over several GPUs")
    variant("download", default=True, description="Fetch graphs over the network")
    variant("archives", default=True, description="Read graph files in bzip2, tar and zstd")
    variant("exam", default=True, description="Install the tests of engines (bfslab exam)")
    variant("plots", default=True, description="Draw results (bfslab-plots)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    conflicts("%gcc@:10", msg="bfslab is written in C++20")

    depends_on("boost@1.74: +math", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("fmt@9.1:")
    depends_on("openssl@1.1:")
    depends_on("zlib-api")
    depends_on("xxhash@0.8:", type="build")

    depends_on("cuda@13.0:", when="+cuda")
    depends_on("mpi@3:", when="+mpi")
    depends_on("nccl", when="+nccl")
    depends_on("curl@7.85: libs=shared", when="+download")
    depends_on("libarchive@3.4: compression=bz2lib", when="+archives")
    depends_on("zstd@1.0:", when="+archives")
    depends_on("googletest@1.12:", when="+exam")

    with when("+plots"):
        depends_on("python@3.11:", type="run")
        depends_on("py-jinja2@3.1:3", type="run")
        depends_on("py-matplotlib@3.6:3", type="run")
        depends_on("py-numpy@1.24:2", type="run")
        depends_on("py-pandas@1.5:3", type="run")
        depends_on("pil@9.4:13", type="run")

    def cmake_args(self):
        args = [
            self.define("BFSLAB_FETCH", "OFF"),
            self.define("BFSLAB_XXHASH", True),
            self.define_from_variant("BFSLAB_NATIVE", "native"),
            self.define_from_variant("BFSLAB_CUDA", "cuda"),
            self.define_from_variant("BFSLAB_MPI", "mpi"),
            self.define("BFSLAB_NCCL", self.spec.satisfies("+nccl")),
            self.define("BFSLAB_NVSHMEM", False),
            self.define_from_variant("BFSLAB_DOWNLOAD", "download"),
            self.define_from_variant("BFSLAB_ARCHIVES", "archives"),
            self.define_from_variant("BFSLAB_ZSTD", "archives"),
            self.define_from_variant("BFSLAB_TESTS", "exam"),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            if architectures[0] != "none":
                args.append(self.define("BFSLAB_CUDA_ARCHITECTURES", ";".join(architectures)))
        return args

    @property
    def build_targets(self):
        return ["installed"]
