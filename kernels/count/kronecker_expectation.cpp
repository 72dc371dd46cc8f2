// SPDX-License-Identifier: Apache-2.0
#include "kernels/count/kronecker_expectation.hpp"

#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>

#include "datasets/generate/generator.hpp"

namespace bfslab::count {

namespace {

double power(double base, unsigned exponent) {
  return exponent == 0 ? 1.0 : std::pow(base, static_cast<double>(exponent));
}

double log_factorial(unsigned n) { return std::lgamma(static_cast<double>(n) + 1); }

// Returns Poisson's distribution function, which is the upper incomplete gamma function. Beyond 40
// standard deviations it is 0 or 1 to the last bit, and the library's function would overflow.
double poisson_at_most(double degree, double mean) {
  const double margin = 40 * std::sqrt(mean) + 100;
  if (degree > mean + margin) return 1;
  if (degree < mean - margin) return 0;
  return mean > 0 ? boost::math::gamma_q(std::floor(degree) + 1, mean) : 1;
}

double choose(unsigned n, unsigned k) {
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k));
}

}  // namespace

KroneckerShape kronecker_shape(const GraphName& name, unsigned scale) {
  if (name.kind != "kronecker") {
    throw InputError(fmt::format(
        "method=expect knows only the degrees of kronecker graphs, not those of {}; use "
        "method=count",
        name.canonical));
  }
  return {.scale = scale != 0 ? scale : static_cast<unsigned>(name.integer("scale")),
          .edge_factor = static_cast<double>(name.integer("edge_factor")),
          .a = name.real("a"),
          .b = name.real("b"),
          .c = name.real("c")};
}

KroneckerExpectation::KroneckerExpectation(const KroneckerShape& shape)
    : scale_(shape.scale), tuples_(std::ldexp(shape.edge_factor, static_cast<int>(shape.scale))) {
  const unsigned n = scale_;
  const std::size_t kinds = n + std::size_t{1};
  const double a = shape.a;
  const double b = shape.b;
  const double c = shape.c;
  const double d = std::max(0.0, 1 - a - b - c);
  kind_vertices_.resize(kinds);
  mean_degree_.resize(kinds);
  loop_.resize(kinds);
  joint_.assign(kinds * kinds, 0);
  for (unsigned k = 0; k <= n; ++k) {
    kind_vertices_[k] = std::round(choose(n, k));
    mean_degree_[k] =
        tuples_ * (power(a + b, n - k) * power(c + d, k) + power(a + c, n - k) * power(b + d, k));
    loop_[k] = choose(n, k) * power(a, n - k) * power(d, k);
  }
  // n00 + n01 + n10 + n11 = N levels; k_u = n10 + n11, k_v = n01 + n11.
  for (unsigned n01 = 0; n01 <= n; ++n01) {
    for (unsigned n10 = 0; n01 + n10 <= n; ++n10) {
      for (unsigned n11 = 0; n01 + n10 + n11 <= n; ++n11) {
        if (n01 == 0 && n10 == 0) continue;  // a self-loop
        const unsigned n00 = n - n01 - n10 - n11;
        const double ways = std::exp(log_factorial(n) - log_factorial(n00) - log_factorial(n01) -
                                     log_factorial(n10) - log_factorial(n11));
        joint_[(n10 + n11) * kinds + n01 + n11] +=
            ways * power(a, n00) * power(b, n01) * power(c, n10) * power(d, n11);
      }
    }
  }
}

double KroneckerExpectation::vertices() const { return std::ldexp(1.0, static_cast<int>(scale_)); }

double KroneckerExpectation::self_loops() const {
  return tuples_ * std::accumulate(loop_.begin(), loop_.end(), 0.0);
}

std::vector<double> KroneckerExpectation::at_most(double degree) const {
  std::vector<double> share(mean_degree_.size(), 0);
  if (degree < 0) return share;
  for (std::size_t k = 0; k < share.size(); ++k)
    share[k] = poisson_at_most(degree, mean_degree_[k]);
  return share;
}

double KroneckerExpectation::vertices_above(double degree) const {
  const std::vector<double> below = at_most(degree);
  double sum = 0;
  for (std::size_t k = 0; k < below.size(); ++k) sum += kind_vertices_[k] * (1 - below[k]);
  return sum;
}

KroneckerExpectation::Entries KroneckerExpectation::by_class(double threshold) const {
  const std::size_t kinds = scale_ + std::size_t{1};
  // The tuple itself is one entry at each end, a self-loop two at its vertex.
  const std::vector<double> normal = at_most(threshold - 1);
  const std::vector<double> loop_normal = at_most(threshold - 2);
  Entries shares{0, 0, 0, 0};
  for (std::size_t u = 0; u < kinds; ++u) {
    for (std::size_t v = 0; v < kinds; ++v) {
      const double tuple = joint_[u * kinds + v];
      shares.nn += tuple * normal[u] * normal[v];
      shares.dd += tuple * (1 - normal[u]) * (1 - normal[v]);
    }
    shares.nn += loop_[u] * loop_normal[u];
    shares.dd += loop_[u] * (1 - loop_normal[u]);
  }
  // Each tuple is doubled, so that the rest is half nd and half dn.
  const double mixed = std::max(0.0, 1 - shares.nn - shares.dd) / 2;
  return {entries() * shares.nn, entries() * mixed, entries() * mixed, entries() * shares.dd};
}

}  // namespace bfslab::count
