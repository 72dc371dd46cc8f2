// SPDX-License-Identifier: Apache-2.0
// The cluster's levels of `fused` run by 8 x 256 threads of the CPU, and compared with a sequential
// search: levels, parents, bits, queue, counts, log. Built by hand:
//
//   sed -e 's/\(k[A-Z][A-Za-z]*\) = \(2048\|512\|256\|192\|16384\|8192\);/\1 = EMU_\1;/' -e
//   's/#pragma unroll//' \
//     kernels/cuda/engines/fused/deep.cuh > deep_emu.cuh
//   g++ -std=c++20 -O1 -pthread -Itests/cuda/emulated -I. -DEMU_THREADS=256 -DEMU_kIds=16
//   -DEMU_kInbox=20 \
//     -DEMU_kAlone=16 -DEMU_kCrowd=30 -DEMU_kMany=100 -DEMU_kMostVertices=100000
//     tests/cuda/emulated/emulate.cpp
#include <pthread.h>
#include <cstdio>
#include <functional>
#include <queue>
#include <random>
#include "deep_emu.cuh"
using namespace bfslab;
using namespace bfslab::cuda;
using Graph = std::vector<std::vector<vertex_t>>;
static int check(const char* name, const Graph& g, unsigned shift, vertex_t source, bool local) {
  vertex_t n = g.size();
  std::vector<std::uint32_t> off(n + 1);
  std::vector<vertex_t> col;
  for (vertex_t v = 0; v < n; ++v) {
    col.insert(col.end(), g[v].begin(), g[v].end());
    off[v + 1] = col.size();
  }
  std::vector<uint4> packed((std::size_t)n << shift);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    std::size_t r = i >> shift;
    unsigned last = (1U << shift) - 1, part = i & last;
    std::uint64_t b = off[r], e = off[r + 1];
    bool lng = e - b > 4ull << shift;
    auto at = [&](unsigned t) {
      std::uint64_t x = b + 4 * part + t;
      return x < e && !lng ? col[x] : kNoVertex;
    };
    packed[i] = lng && part == last
                    ? uint4{(unsigned)b, (unsigned)(b >> 32), (unsigned)(e - b), kLongRow}
                    : uint4{at(0), at(1), at(2), at(3)};
  }
  std::uint32_t words = (n + 31) / 32;
  std::vector<std::uint32_t> vis(words), bef(words);
  std::vector<level_t> lev(n, ~0U);
  std::vector<vertex_t> par(n, ~0U), q0(n + 1), q1(n + 1);
  LevelSlot slots[kSlots];
  FusedCourse course;
  std::vector<std::uint64_t> sizes;
  int head;
  FusedWork<std::uint32_t> work{{off.data(), col.data()},
                                packed.data(),
                                shift,
                                n,
                                words,
                                vis.data(),
                                bef.data(),
                                {},
                                lev.data(),
                                par.data(),
                                {q0.data(), q1.data()},
                                {slots},
                                &course,
                                {&head, &sizes}};
  std::vector<Block> bl(8);
  blocks_ = bl.data();
  for (auto& b : bl) {
    b.arena.resize((sizeof(FusedDeep) + deep_words(words) * 4 + 16) / sizeof(std::max_align_t) + 2);
    std::memset(b.arena.data(), 0xCD, b.arena.size() * sizeof(std::max_align_t));
    for (auto& a : b.any) a = 0;
  }
  std::barrier<> meet(8 * kFusedThreads);
  cluster_meet = &meet;
  struct Arg {
    unsigned t;
    FusedWork<std::uint32_t>* w;
    vertex_t s;
    bool local;
  };
  std::vector<pthread_t> th(8 * kFusedThreads);
  std::vector<Arg> args(th.size());
  pthread_attr_t at;
  pthread_attr_init(&at);
  pthread_attr_setstacksize(&at, 1 << 20);
  for (unsigned t = 0; t < th.size(); ++t) {
    args[t] = {t, &work, source, local};
    if (pthread_create(
            &th[t], &at,
            [](void* p) -> void* {
              Arg& a = *(Arg*)p;
              threadIdx.x = a.t % kFusedThreads;
              blockIdx.x = a.t / kFusedThreads;
              or_turn = 0;
              if (a.local)
                fused_deep<true>(*a.w, a.s);
              else
                fused_deep<false>(*a.w, a.s);
              return nullptr;
            },
            &args[t])) {
      perror("thread");
      exit(3);
    }
  }
  for (auto& t : th) pthread_join(t, nullptr);
  std::vector<level_t> want(n, ~0U);
  std::queue<vertex_t> qu;
  std::vector<std::uint64_t> size;
  if (source < n) {
    want[source] = 0;
    qu.push(source);
  }
  while (!qu.empty()) {
    auto v = qu.front();
    qu.pop();
    if (want[v] >= size.size()) size.resize(want[v] + 1);
    ++size[want[v]];
    for (auto u : g[v])
      if (want[u] == ~0U) want[u] = want[v] + 1, qu.push(u);
  }
  int bad = 0;
  auto fail = [&](const char* what, long long a, long long b) {
    if (bad++ < 5) printf("  %s: %lld %lld\n", what, a, b);
  };
  level_t L = course.at.level;
  for (vertex_t v = 0; v < n; ++v) {
    bool in = want[v] <= L && want[v] != ~0U;
    if ((lev[v] != (in ? want[v] : ~0U))) fail("level", v, lev[v]);
    bool b1 = vis[v / 32] >> v % 32 & 1, b2 = bef[v / 32] >> v % 32 & 1;
    if (b1 != in || b2 != in) fail("bits", v, b1 * 2 + b2);
    if (in && v != source) {
      bool ok = par[v] < n && want[par[v]] + 1 == want[v] &&
                std::count(g[par[v]].begin(), g[par[v]].end(), v);
      if (!ok) fail("parent", v, par[v]);
    }
  }
  std::uint64_t front = L < size.size() ? size[L] : 0, seen = 0, edges = 0;
  for (level_t l = 0; l <= L && l < size.size(); ++l) seen += size[l];
  if (course.at.frontier != front) fail("frontier", course.at.frontier, front);
  if (course.at.visited != seen) fail("visited", course.at.visited, seen);
  auto& q = L % 2 ? q1 : q0;
  std::vector<vertex_t> got(q.begin(), q.begin() + std::min<std::uint64_t>(front, n)), exp;
  for (vertex_t v = 0; v < n; ++v)
    if (want[v] == L) exp.push_back(v), edges += g[v].size();
  std::sort(got.begin(), got.end());
  if (got != exp) fail("queue", got.size(), exp.size());
  if (course.at.edges != edges) fail("edges", course.at.edges, edges);
  if (sizes.size() != L) fail("log", sizes.size(), L);
  for (level_t l = 0; l < std::min<size_t>(L, sizes.size()); ++l)
    if (sizes[l] != size[l]) fail("log size", l, sizes[l]);
  printf("%s n=%u shift=%u local=%d: levels %u of %zu, left with %llu: %s\n", name, n, shift, local,
         L, size.size(), (unsigned long long)front, bad ? "BAD" : "ok");
  fflush(stdout);
  return bad;
}
int main(int argc, char** argv) {
  std::mt19937 r(argc > 1 ? atoi(argv[1]) : 1);
  int bad = 0;
  auto grid = [&](unsigned w, unsigned h, double keep, bool shuffle) {
    vertex_t n = w * h;
    std::vector<vertex_t> id(n);
    for (vertex_t i = 0; i < n; ++i) id[i] = i;
    if (shuffle) std::shuffle(id.begin(), id.end(), r);
    Graph g(n);
    auto add = [&](vertex_t a, vertex_t b) {
      if (std::uniform_real_distribution<>()(r) < keep)
        g[id[a]].push_back(id[b]), g[id[b]].push_back(id[a]);
    };
    for (unsigned y = 0; y < h; ++y)
      for (unsigned x = 0; x < w; ++x) {
        if (x + 1 < w) add(y * w + x, y * w + x + 1);
        if (y + 1 < h) add(y * w + x, y * w + x + w);
        if (x + 1 < w && y + 1 < h) add(y * w + x, y * w + x + w + 1);
      }
    return g;
  };
  auto random = [&](vertex_t n, unsigned d, unsigned hubs, unsigned hub) {
    Graph g(n);
    for (vertex_t v = 0; v < n; ++v)
      for (unsigned i = 0; i < d; ++i) {
        vertex_t u = r() % n;
        g[v].push_back(u);
        g[u].push_back(v);
      }
    for (unsigned h = 0; h < hubs; ++h) {
      vertex_t v = r() % n;
      for (unsigned i = 0; i < hub; ++i) {
        vertex_t u = r() % n;
        g[v].push_back(u);
        g[u].push_back(v);
      }
    }
    return g;
  };
  for (bool local : {true, false}) {
    {
      Graph p(40);
      for (vertex_t v = 0; v + 1 < 40; ++v) p[v].push_back(v + 1), p[v + 1].push_back(v);
      bad += check("path", p, 0, 20, local);
    }
    {
      Graph one(1);
      bad += check("one", one, 0, 0, local);
      bad += check("none", one, 0, 5, local);
    }
    bad += check("grid", grid(37, 41, 0.8, true), 0, 5, local);
    bad += check("grid8", grid(64, 64, 0.9, false), 1, 5, local);
    bad += check("grid4 all long", grid(40, 40, 1, false), 0, 7, local);
    bad += check("random", random(3000, 3, 4, 100), 1, 1, local);
    bad += check("random16", random(6000, 5, 10, 200), 2, 1, local);
    {
      Graph s(2000);
      for (vertex_t v = 1; v < 500; ++v) s[0].push_back(v * 4), s[v * 4 % 2000].push_back(0);
      for (auto& e : s)
        for (auto& u : e) u %= 2000;
      bad += check("star", s, 1, 0, local);
    }
    {
      Graph s(4096);  // all neighbours of one owner
      for (vertex_t v = 0; v < 128; ++v)
        for (unsigned i = 0; i < 30; ++i) {
          vertex_t u = (r() % 16) * 256 + r() % 32;
          s[v * 32].push_back(u);
          s[u].push_back(v * 32);
        }
      bad += check("one owner", s, 3, 0, local);
    }
  }
  printf(bad ? "BAD\n" : "all ok\n");
  return bad != 0;
}
