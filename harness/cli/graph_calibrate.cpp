// SPDX-License-Identifier: Apache-2.0
// bfslab graph calibrate: finds the name of a power-law graph with given counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "datasets/generate/calibrate.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/standard_streams.hpp"

namespace bfslab {

namespace {

struct Wanted {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  double exponent = 2.5;
  std::uint64_t max_degree = 0;
  double reciprocal = 0;
  bool directed = false;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  double left_exponent = 2.5;
  double right_exponent = 2.5;
  std::uint64_t left_max_degree = 0;
  std::uint64_t right_max_degree = 0;
  bool shared_ids = false;
  std::uint64_t communities = 1;
  double local = 0;
  bool crawl = false;
  std::uint64_t tails = 0;
  std::uint64_t tail_length = 0;
};

CommunityShape communities_of(const Wanted& wanted) {
  CommunityShape shape;
  shape.count = static_cast<vertex_t>(wanted.communities);
  shape.local = wanted.local;
  shape.crawl = wanted.crawl;
  return shape;
}

// The parameters that are not at their defaults, as a name has them.
std::string communities_text(const CommunityShape& shape) {
  std::string text;
  if (shape.count > 1) text += fmt::format(",communities={}", shape.count);
  if (shape.local > 0) text += fmt::format(",local={}", shape.local);
  if (shape.crawl) text += ",order=crawl";
  return text;
}

void print_expected(const ExpectedCounts& counts, bool directed, const std::string& degrees) {
  write_stderr(fmt::format("graph calibrate: expect {:.0f} {} edges and a largest degree of {}\n",
                           directed ? counts.arcs : counts.pairs,
                           directed ? "directed" : "undirected", degrees));
}

void bipartite(const Wanted& wanted) {
  BipartiteShape shape;
  shape.left = static_cast<vertex_t>(wanted.left);
  shape.right = static_cast<vertex_t>(wanted.right);
  shape.left_exponent = wanted.left_exponent;
  shape.right_exponent = wanted.right_exponent;
  shape.communities = communities_of(wanted);
  shape.communities.check(std::min(wanted.left, wanted.right), "vertices of the smaller side");
  shape.one_id_space = wanted.shared_ids;
  const auto largest = [](std::uint64_t given, std::uint64_t others) {
    return given == 0 ? others : given;
  };
  shape = calibrate(shape, wanted.edges, largest(wanted.left_max_degree, wanted.right),
                    largest(wanted.right_max_degree, wanted.left));
  const ExpectedCounts counts = expected_counts(shape);
  print_expected(
      counts, false,
      fmt::format("{:.0f} left, {:.0f} right", counts.largest_degree, counts.largest_right_degree));
  fmt::print(
      "bipartite:left={},right={},edges={},left_exponent={},left_offset={},right_exponent={},"
      "right_offset={}{}{}\n",
      shape.left, shape.right, shape.edges, shape.left_exponent, shape.left_offset,
      shape.right_exponent, shape.right_offset, shape.one_id_space ? ",ids=shared" : "",
      communities_text(shape.communities));
}

void power_law(const Wanted& wanted) {
  PowerLawShape shape;
  shape.vertices = static_cast<vertex_t>(wanted.vertices);
  shape.exponent = wanted.exponent;
  shape.reciprocal = wanted.reciprocal;
  shape.communities = communities_of(wanted);
  const Tails tails(wanted.tails, wanted.tail_length);
  shape.tails = tails.count();
  shape.tail_vertices = tails.vertices();
  shape = calibrate(shape, wanted.edges, wanted.directed,
                    wanted.max_degree == 0 ? wanted.vertices : wanted.max_degree);
  const ExpectedCounts counts = expected_counts(shape);
  print_expected(counts, wanted.directed, fmt::format("{:.0f}", counts.largest_degree));
  fmt::print("power_law:vertices={},edges={},exponent={},offset={}{}{}{}\n", shape.vertices,
             shape.edges, shape.exponent, shape.offset,
             shape.reciprocal > 0 ? fmt::format(",reciprocal={}", shape.reciprocal) : "",
             communities_text(shape.communities),
             shape.tails > 0
                 ? fmt::format(",tails={},tail_length={}", wanted.tails, wanted.tail_length)
                 : "");
}

void print_name(const Wanted& wanted) {
  if (wanted.left != 0) {
    bipartite(wanted);
  } else if (wanted.vertices != 0) {
    power_law(wanted);
  } else {
    throw InputError(
        "graph calibrate: give the number of vertices by --vertices, or by --left and --right");
  }
}

// The options for communities, the order of ids, and tails.
void add_order(CLI::App& command, Wanted& wanted, CLI::Option& left) {
  command
      .add_option("--communities", wanted.communities, "Communities of like degrees (default 1)")
      ->check(CLI::Range(std::uint64_t{1}, static_cast<std::uint64_t>(kMaxVertices)));
  command.add_option("--local", wanted.local, "Share of the edges that stay within a community")
      ->check(real_range(0.0, 1.0));
  command.add_flag("--crawl", wanted.crawl, "Ids in the order in which a crawl meets the vertices");
  auto* tails = command.add_option("--tails", wanted.tails, "Paths that hang on light vertices")
                    ->excludes(&left);
  command.add_option("--tail-length", wanted.tail_length, "Vertices of the longest two of them")
      ->needs(tails);
}

}  // namespace

void add_graph_calibrate(CLI::App& graph) {
  auto* command = graph.add_subcommand(
      "calibrate", "Name a power-law graph with given numbers of vertices and edges");
  const auto wanted = std::make_shared<Wanted>();
  const auto count = CLI::Range(std::uint64_t{1}, static_cast<std::uint64_t>(kMaxVertices));
  const auto exponent = real_range(1.25, 1000.0);
  auto* vertices =
      command->add_option("--vertices", wanted->vertices, "Vertices, none of them isolated")
          ->check(CLI::Range(std::uint64_t{2}, static_cast<std::uint64_t>(kMaxVertices)));
  command
      ->add_option("--edges", wanted->edges,
                   "Distinct edges, without self-loops; each undirected one counts once")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000000000}))
      ->required();
  command
      ->add_option("--exponent", wanted->exponent,
                   "Exponent of the degree distribution (default 2.5)")
      ->check(exponent);
  command->add_option("--max-degree", wanted->max_degree,
                      "Largest undirected degree (default: what the exponent gives)");
  auto* directed = command->add_flag("--directed", wanted->directed, "Count directed edges");
  command
      ->add_option("--reciprocal", wanted->reciprocal,
                   "Share of the directed edges whose reverse also exists")
      ->check(real_range(0.0, 1.0))
      ->needs(directed);
  auto* left =
      command->add_option("--left", wanted->left, "Vertices of one side of a bipartite graph")
          ->check(count)
          ->excludes(vertices);
  auto* right = command->add_option("--right", wanted->right, "Vertices of the other side")
                    ->check(count)
                    ->needs(left);
  left->needs(right);
  const auto side = [&](const char* name, auto& value, const char* doc) {
    return command->add_option(name, value, doc)->needs(left);
  };
  side("--left-exponent", wanted->left_exponent, "Exponent of the degrees on the left")
      ->check(exponent);
  side("--right-exponent", wanted->right_exponent, "Exponent of the degrees on the right")
      ->check(exponent);
  side("--left-max-degree", wanted->left_max_degree, "Largest degree on the left");
  side("--right-max-degree", wanted->right_max_degree, "Largest degree on the right");
  command->add_flag("--shared-ids", wanted->shared_ids, "Vertex v is number v of both sides")
      ->needs(left);
  add_order(*command, *wanted, *left);
  command->footer(
      "Some random edges repeat others: how many must be drawn for the given number of distinct\n"
      "ones is solved for. The name is printed on standard output.\n\n"
      "Examples:\n"
      "  bfslab graph calibrate --vertices 3997962 --edges 34681189 --exponent 2.6 --max-degree "
      "14815\n"
      "  bfslab graph calibrate --left 20000 --right 90000 --edges 400000 --left-exponent 2");
  command->callback([wanted] { print_name(*wanted); });
}

}  // namespace bfslab
