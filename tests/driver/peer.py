#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A breadth-first search that knows nothing of bfslab: the program that external engines are tested
with. It reads an edge list, a Matrix Market file, SNAP's text, GAP's binary form, offsets and
columns, or DFQ's text, searches, prints its time and writes its levels; --behave makes it do
worse."""

import argparse
import array
import os
import signal
import sys
import time


def read_binary(path):
    with open(path, "rb") as file:
        file.read(1)  # whether it is directed: its in-edges would come last
        entries, vertices = array.array("q", file.read(16))
        offsets = array.array("q", file.read(8 * (vertices + 1)))
        columns = array.array("i", file.read(4 * entries))
    rows = {v: columns[offsets[v] : offsets[v + 1]] for v in range(vertices)}
    return rows, vertices, 0


def read_arrays(path, kind):
    """Two files of integers without a header: PATH.offsets and PATH.columns."""
    with open(f"{path}.offsets", "rb") as file:
        offsets = array.array("q", file.read())
    with open(f"{path}.columns", "rb") as file:
        columns = array.array(kind, file.read())
    assert len(columns) == offsets[-1]
    rows = {v: columns[offsets[v] : offsets[v + 1]] for v in range(len(offsets) - 1)}
    return rows, len(offsets) - 1, 0


def read_rows(path):
    """DFQ's text: counts, then FIRST and DEGREE of each row, then TO and a weight of each entry."""
    with open(path) as file:
        lines = [[int(word) for word in line.split()] for line in file]
    (vertices, entries, _), rest = lines[0], lines[1:]
    columns = [v for v, _ in rest[vertices:]]
    assert len(columns) == entries
    rows = {v: columns[first : first + degree] for v, (first, degree) in enumerate(rest[:vertices])}
    return rows, vertices, 0


def read(path):
    """The graph as adjacency lists, and the id of its first vertex."""
    if path.endswith((".arrays32", ".arrays64")):
        return read_arrays(path, "i" if path.endswith("32") else "q")
    if path.endswith(".dfq"):
        return read_rows(path)
    if path.endswith(".sg"):
        return read_binary(path)
    first = 1 if path.endswith(".mtx") else 0
    neighbours, vertices = {}, 0
    with open(path) as file:
        lines = [line.split() for line in file if line[0] not in "#%"]
    if path.endswith(".mtx"):
        vertices = int(lines.pop(0)[0])
    for u, v in lines:
        neighbours.setdefault(int(u), []).append(int(v))
        vertices = max(vertices, int(u) + 1 - first, int(v) + 1 - first)
    return neighbours, vertices, first


def search(neighbours, source):
    levels, frontier = {source: 0}, [source]
    while frontier:
        found = []
        for u in frontier:
            for v in neighbours.get(u, ()):
                if v not in levels:
                    levels[v] = levels[u] + 1
                    found.append(v)
        frontier = found
    return levels


def write(path, form, levels, vertices, first, unreached):
    told = [levels.get(v, unreached) for v in range(first, vertices + first)]
    if form == "int32":
        data = array.array("i", told).tobytes()
    elif form == "pairs":
        data = "".join(f"{v} {level}\n" for v, level in sorted(levels.items())).encode()
    else:
        data = ("levels:\n" + "".join(f"{level}\n" for level in told)).encode()
    if path == "-":
        sys.stdout.write(data.decode())
    else:
        with open(path, "wb") as file:
            file.write(data)


def flood(stream):
    block = b"x" * 65535 + b"\n"
    while True:
        stream.write(block)


def write_in_pieces(text):
    for begin in range(0, len(text), 7):
        os.write(sys.stdout.fileno(), text[begin : begin + 7].encode())


def serve(arguments, neighbours, vertices, first):
    """Answers each line on standard input, "bfs SOURCE", by one line on standard output."""
    behave = arguments.behave
    for served, line in enumerate(sys.stdin, 1):
        word, source = line.split()
        assert word == "bfs"
        begin = time.perf_counter()
        levels = search(neighbours, int(source))
        if behave == "busy":
            while time.perf_counter() < begin + 0.05:
                pass
        spent = 1000 * (time.perf_counter() - begin)
        if behave == "third-crashes" and served == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if behave == "third-ends" and served == 3:
            return
        if behave == "third-hangs" and served == 3:
            time.sleep(1000)
        if behave == "lose":
            levels = {int(source): 0}
        if arguments.levels and not (behave == "third-forgets" and served == 3):
            write(arguments.levels, arguments.form, levels, vertices, first, arguments.unreached)
        talk = "searching\n" if behave == "talk" else ""
        fault = 1 if behave == "find-fault" else 0
        print(f"{talk}errors: {fault} time: {spent:.6f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graph", required=True)
    parser.add_argument("--source", type=int)
    parser.add_argument("--serve", action="store_true", help="answers each line with a source")
    parser.add_argument("--levels")
    parser.add_argument("--form", default="list")
    parser.add_argument("--unreached", type=int, default=-1)
    parser.add_argument("--behave", default="well")
    parser.add_argument("--note", help="a file to which the arguments are appended")
    arguments, rest = parser.parse_known_args()
    behave = arguments.behave
    if arguments.note:
        with open(arguments.note, "a") as file:
            file.write(repr([sys.argv[1:], rest, os.environ.get("THREADS"), os.getcwd()]) + "\n")
    if behave == "hang":
        print("time: 1 ms", flush=True)
        if os.fork() == 0:
            os.setsid()
        time.sleep(1000)
    if behave == "crash":
        print("about to crash", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if behave == "exit":
        sys.exit("no such graph")
    if behave == "flood":
        flood(sys.stdout.buffer)
    if behave == "flood-error":
        flood(sys.stderr.buffer)
    if behave == "big-file":
        with open("big", "wb") as file:
            flood(file)
    if behave == "hungry":
        kept = bytearray(os.urandom(1 << 20)) * 600
        time.sleep(60)
        print(len(kept))
    if behave == "orphan" and os.fork() == 0:
        os.setsid()
        time.sleep(1000)

    neighbours, vertices, first = read(arguments.graph)
    if arguments.serve:
        return serve(arguments, neighbours, vertices, first)
    begin = time.perf_counter()
    levels = search(neighbours, arguments.source)
    if behave == "slow":
        time.sleep(0.3)
    spent = 1000 * (time.perf_counter() - begin)
    if behave == "lie":
        levels = {v: max(0, level - 1) for v, level in levels.items()}
    if behave == "lose":
        levels = {arguments.source: 0}
    if behave == "garbage":
        levels = dict.fromkeys(levels, "7x")
    if behave == "boast":
        spent *= 1e9
    if arguments.levels and behave != "no-levels":
        write(arguments.levels, arguments.form, levels, vertices, first, arguments.unreached)
    if behave == "link":
        os.remove(arguments.levels)
        os.symlink("/dev/zero", arguments.levels)
    if behave.startswith("pieces"):  # as Gunrock reports: long lines, its check last
        row = "distances[:40] = " + "2147483647 " * 45
        errors = 3 if behave == "pieces-fault" else 0
        write_in_pieces(f"{row}\ntime: {spent:.6f} ms\n{row}\n\nthe CPU: 1 ms\nerrors: {errors}")
        return
    print(f"read {vertices} vertices")
    print(f"errors: {1 if behave == 'find-fault' else 0}")
    if behave != "no-time":
        print(f"time: {spent:.6f} ms")
    if behave == "two-times":
        print(f"time: {spent:.6f} ms")


main()
