// SPDX-License-Identifier: Apache-2.0
// delegate: degree separation on many GPUs (scalable-bfs, sections III to V). Vertices with more
// than TH neighbours are delegates, which all members have as bits of a mask that is reduced after
// each level; the rest are normal, belong to one member each, and are sent to it when an edge
// between normal vertices of two members finds them. partition/edge_distributor.hpp says which edge
// is where, subgraphs/subgraphs.hpp how the four subgraphs lie in memory, search.cpp what a level
// is and how it ends in an exchange, reduction_rounds.hpp how masks are reduced, direction_rule.hpp
// what turns a visit bottom-up, and local_work.hpp what is computed in a level and where.
//
// Cost of a level on p members: the frontier's edges of each subgraph, or, backward, those until a
// visited parent is found; a mask of d bits, reduced over all members if any delegate was found; 4
// bytes for each nn edge of the frontier to another member; three words for agreeing on what is
// left. It wins over 1D and 2D partitions on graphs with few vertices of high degree, since only nn
// edges and delegates' bits are sent. On one member it is a search in which the hot vertices are a
// mask.
//
// Deviations. The paper's previsit filters duplicates out of the next level's queue; here a vertex
// enters the queue once, when its level is set. A delegate mask is reduced only if some member
// found one, on which members agree with the sum that also ends the search. Its global phase is by
// NCCL's messages where transport = nccl, and by the paper's MPI calls where transport = host,
// which combines the masks of a rank in the memory of the host. Directed graphs are searched
// forward only, and their nn vertices take their parents along. On CPUs a thread stands for a GPU
// and runs its two streams one after the other. On GPUs the first entries of the rows of dd and nd
// also stand in arrays of their own, which visits backward read in order, and until a search ends
// levels are four bits, and a parent that is such an entry is one. delegate_order = degree, the
// preset `tuned` and launch = persistent, which also keeps edges of dd by the numbers of delegates
// in place of their vertices, go beyond the paper (docs/distributed.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cuda/traversal/meeting.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/distributed/engines/delegate/search.hpp"
#include "kernels/engine.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed::delegate {

namespace {

// Figure 7: 64 at scale 30, and sqrt(2) times as much for each further scale.
std::uint64_t suggested_threshold(std::uint64_t vertices) {
  const double scale = std::log2(std::max(2.0, static_cast<double>(vertices)));
  return static_cast<std::uint64_t>(std::max(1.0, std::round(64 * std::exp2((scale - 30) / 2))));
}

std::uint64_t threshold_of(const Toggles& toggles, std::uint64_t vertices) {
  const auto wished = static_cast<std::uint64_t>(toggles.integer("threshold"));
  return wished > 0 ? wished : suggested_threshold(vertices);
}

std::vector<Toggle> toggles(bool on_gpus) {
  const LegalWith optimized{"direction_optimized", {true}, "nothing is ever visited backward"};
  const auto factor = [&](const char* name, double value, const char* doc) {
    return Toggle::real(name, value, 0, 1e18, doc, "scalable-bfs IV-B", {optimized});
  };
  std::vector<Toggle> all = {
      Toggle::integer(
          "threshold", 0, 0, 4294967295,
          "TH: vertices with more neighbours are delegates; 0 takes 64 at scale 30, and "
          "sqrt(2) times that for each further scale",
          "scalable-bfs VI-B"),
      Toggle::flag("direction_optimized", true,
                   "DO: dd, dn and nd may be visited backward, each as its own workload says",
                   "scalable-bfs IV-B"),
      factor("dd_factor", 0.5, "dd turns backward where FV exceeds this times BV"),
      factor("dn_factor", 0.05, "dn turns backward where FV exceeds this times BV"),
      factor("nd_factor", 1e-7, "nd turns backward where FV exceeds this times BV"),
      factor("back_factor", 0,
             "a subgraph turns forward again where FV is below this times BV; at 0 never, as the "
             "paper finds right for R-MAT graphs"),
      Toggle::flag("local_all2all", false,
                   "L: what goes to GPU x of any rank is first gathered on GPU x of its own rank",
                   "scalable-bfs V-B"),
      Toggle::flag("uniquify", false, "U: repeated vertices are removed before they are sent",
                   "scalable-bfs V-B"),
      Toggle::choice("reduction", "non_blocking", {"blocking", "non_blocking"},
                     "BR or IR: whether the masks' reduction is waited for before normal vertices "
                     "are exchanged",
                     "scalable-bfs VI-B"),
      Toggle::choice("nn_parents", "fetched", {"fetched", "carried"},
                     "where vertices that nn finds have their parents from: their neighbours are "
                     "asked at the end, or each is sent with its parent, 8 bytes for 4",
                     "scalable-bfs VI-A.3"),
  };
  const auto by_hosts = [](const char* reason, std::vector<ToggleValue> values) {
    return LegalWith{"launch", {std::string("host")}, reason, std::move(values)};
  };
  const auto apart = by_hosts("the phases of a kernel that runs all levels do not overlap",
                              {std::string("overlapped")});
  all.push_back(Toggle::choice(
      "phases", "apart", {"apart", "overlapped"},
      "how an instrumented search times its phases: a member waits where each ends, so that they "
      "add up to the level, or never, so that they exceed it by what overlaps",
      "scalable-bfs VI-B", on_gpus ? std::vector<LegalWith>{apart} : std::vector<LegalWith>{}));
  const LegalWith balanced{"expand",
                           {std::string("merge_path")},
                           "hubs are neighbours in the queue, and a block would get them all",
                           {std::string("degree")}};
  all.push_back(Toggle::choice(
      "delegate_order", "id", {"id", "degree"},
      "how delegates are numbered: by id, or by degree, so that rows begin with their likeliest "
      "parents and the bits of hubs share a few lines of the cache",
      "scalable-bfs III-B", on_gpus ? std::vector<LegalWith>{balanced} : std::vector<LegalWith>{}));
  if (on_gpus) {
    all.push_back(Toggle::choice(
        "expand", "thread_warp_cta", {"thread_warp_cta", "merge_path"},
        "how forward visits of nn, nd and dn share their edges out; dd's do by merge path",
        "scalable-bfs IV-A"));
    all.push_back(Toggle::choice(
        "transport", "nccl", {"nccl", "peer", "host"},
        "what moves masks and lists among GPUs: NCCL, loads from each other's memory (GPUs of one "
        "rank), or copies through the hosts and MPI",
        "scalable-bfs V"));
    const auto moved_by = [](const char* transport, const char* form, const char* reason) {
      return LegalWith{"transport", {std::string(transport)}, reason, {std::string(form)}};
    };
    all.push_back(Toggle::choice(
        "mask_reduction", "two_phase", {"two_phase", "all_gather", "stripes"},
        "how masks are reduced where hosts launch the levels: into the leader of each rank and "
        "then among the leaders, by sending all masks to every GPU, or by a stripe for each GPU",
        "scalable-bfs V-A",
        {by_hosts("a kernel that runs all levels reads the others' masks where they are",
                  {std::string("all_gather"), std::string("stripes")}),
         moved_by("nccl", "all_gather", "only NCCL gathers masks"),
         moved_by("peer", "stripes", "stripes are read from the memory of the other GPUs")}));
    const LegalWith merged{"expand",
                           {std::string("merge_path")},
                           "the kernel has no other expansion",
                           {std::string("persistent"), std::string("nvshmem")}};
    all.push_back(Toggle::choice(
        "launch", "host", {"host", "persistent", "nvshmem"},
        "who starts a level: the host of each GPU, or one kernel a GPU that runs all levels, meets "
        "the others' in their memory, and reads their masks and lists there (GPUs of one machine); "
        "nvshmem: that memory is NVSHMEM's (GPUs that NVLink joins, of several machines, too; one "
        "a rank)",
        "", {merged}));
  }
  return all;
}

// In rows by degree a parent stands near the beginning, so that visits backward pay long before the
// paper's factors turn to them; on GPUs dn's pay sooner still, since what its forward visits find
// is written here and there. Found on Kronecker graphs of scales 26 and 27 on H200s.
ToggleSettings tuned(bool on_gpus) {
  ToggleSettings settings = {{"delegate_order", std::string("degree")},
                             {"dd_factor", 0.005},
                             {"dn_factor", on_gpus ? 0.002 : 0.004}};
  if (on_gpus) {
    settings.emplace_back("expand", std::string("merge_path"));
    settings.emplace_back("nn_parents", std::string("carried"));
  }
  return settings;
}

std::unique_ptr<MemberSearch> make_member(Member& member, const EdgeShare& share,
                                          const EngineSettings& engine) {
  if (wants_parents(engine.answer) && share.vertices() > kNoVertex) {
    throw Unsupported(fmt::format("delegate: parents are 32-bit ids, and there are {} vertices",
                                  share.vertices()));
  }
  const Toggles& toggles = engine.toggles;
  const std::uint64_t threshold = threshold_of(toggles, share.vertices());
  const DelegateOrder order =
      toggles.choice("delegate_order") == "degree" ? DelegateOrder::degree : DelegateOrder::id;
  SearchSettings settings;
  settings.direction.optimized = toggles.flag("direction_optimized");
  const auto set = [&](EdgeClass subgraph, const char* factor) {
    settings.direction.to_backward[subgraph] = toggles.real(factor);
    settings.direction.to_forward[subgraph] = toggles.real("back_factor");
  };
  set(EdgeClass::dd, "dd_factor");
  set(EdgeClass::dn, "dn_factor");
  set(EdgeClass::nd, "nd_factor");
  settings.local_all_to_all = toggles.flag("local_all2all");
  settings.uniquify = toggles.flag("uniquify");
  settings.non_blocking_reduction = toggles.choice("reduction") == "non_blocking";
  settings.phases_overlap = toggles.choice("phases") == "overlapped";
  const WorkSettings work{
      .answer = engine.answer,
      .carry_parents = toggles.choice("nn_parents") == "carried",
      .merge_all = toggles.has("expand") && toggles.choice("expand") == "merge_path",
      .one_kernel = toggles.has("launch") && toggles.choice("launch") != "host",
      .team_memory = toggles.has("launch") && toggles.choice("launch") == "nvshmem"
                         ? TeamMemory::symmetric
                         : TeamMemory::peer,
      .backward = settings.direction.optimized && share.rules().symmetric,
      .hubs_first = order == DelegateOrder::degree};
  if (toggles.has("transport")) {
    return make_gpu_search(member, share, threshold, order,
                           transport_named(toggles.choice("transport")),
                           toggles.choice("mask_reduction") == "two_phase", work, settings);
  }
  auto graph = std::make_shared<Subgraphs>(make_subgraphs(member, share, threshold, order));
  auto local = make_cpu_work(*graph, member, work);
  return make_search(member, std::move(graph), std::move(local), nullptr, settings);
}

// Estimates all members together, each of which has its memory of every delegate. How many
// delegates a threshold makes depends on the degrees: the estimate assumes the most that the edges
// allow, and all other edges between normal vertices.
Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const double members = std::max(1U, facts.members);
  const auto threshold = static_cast<double>(threshold_of(toggles, facts.vertices));
  const double d = std::min(n, std::floor(m / (threshold + 1)));
  const double nn = d < n ? m - d * (threshold + 1) : 0;
  const double all_d = d * members;
  // On GPUs normal vertices have places (places.hpp), which delegates do not take.
  const bool on_gpus = toggles.has("expand");
  const double p = on_gpus ? n - d : n;
  const double graph = 8 * p + 8 * all_d + 4 * m + 4 * nn;  // Table I
  const double each = toggles.choice("delegate_order") == "degree" ? 12 : 8;
  double numbers = each * all_d + 8 * d;  // of delegates
  double status = wants_parents(answer) ? 8 * n + 12 * all_d : 4 * (n + all_d);
  double masks = (6 * all_d + 2 * n) / 8;
  double queues = 8 * n;
  if (on_gpus) {  // there are a queue, a list, and sums of degrees
    const bool merges = toggles.choice("expand") == "merge_path";
    const bool parents = wants_parents(answer);
    numbers = n / 2 + 8 * d + (parents ? 4 * p : 0);
    masks = (6 * all_d + 4 * p) / 8;
    status = parents ? 8 * n + 8 * p + 12 * all_d : 4 * (n + p + all_d);
    status += (p + all_d) / 2;  // levels as four bits
    if (toggles.choice("launch") != "host") {
      masks += all_d / 8;
      if (members > 1) masks += members * static_cast<double>(cuda::kLinkBytes);
    }
    const bool backward = toggles.flag("direction_optimized") && facts.symmetric;
    if (backward) numbers += 4 * (p + all_d);  // first entries of rows
    if (backward && parents) masks += p / 8;
    queues = 4 * (p + all_d) + 8 * (merges ? 2 * std::max(n, all_d) : all_d);
  }
  // Rough: of two cores, and of an H200.
  const double seconds = on_gpus ? 3e-4 + 1e-12 * m / members : 1e-3 + 1e-9 * m;
  return {.bytes = graph + numbers + masks + status + queues, .seconds = seconds};
}

EngineInfo engine(const char* name, bool on_gpus, const char* summary) {
  return {.name = name,
          .paper = "scalable-bfs",
          .section = "III-V",
          .summary = summary,
          .can = {.gpu = on_gpus, .recipe = true, .distributed = true},
          .toggles = toggles(on_gpus),
          .groups = {{"do",
                      "direction optimisation",
                      {{true, {{"direction_optimized", true}}},
                       {false, {{"direction_optimized", false}}}}}},
          .presets = {{"tuned",
                       "delegates numbered by degree, and visits backward as soon as they pay then",
                       tuned(on_gpus)}},
          .estimate = estimate,
          .make =
              [](const EngineSettings& settings) {
                return std::make_unique<DistributedEngine>(settings, make_member);
              },
          .may_refuse = [](const Toggles&) { return true; }};
}

const RegisterEngine on_cpus{
    engine("delegate", false,
           "degree separation: high-degree vertices as masks that all members share; on CPUs, a "
           "thread for a GPU")};
const RegisterEngine on_gpus{
    engine("delegate-cuda", true,
           "degree separation: high-degree vertices as masks that all members share; on GPUs")};

}  // namespace

}  // namespace bfslab::distributed::delegate
