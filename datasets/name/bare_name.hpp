// SPDX-License-Identifier: Apache-2.0
// Names without a kind: a catalogue entry's, or that of its stand-in, and build options. A stand-in
// also takes its generator's seed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

struct BareName {
  std::string text;          // what it stands for, with its kind: "snap:com-lj,relabel=shuffle"
  std::string stand_in_for;  // the entry, where the name is that of its stand-in
};

// nullopt when the catalogue has no such name. Options that the catalogue's own text of a stand-in
// sets are replaced by those given. Throws InputError, in words that follow "graph "...": ", for an
// item that is not a build option, for a group's name, and for the stand-in of an entry without
// one.
std::optional<BareName> expand_bare_name(std::string_view text);

// Lists the legal bare names: entries, and their stand-ins where they have one.
std::vector<std::string> bare_names();

}  // namespace bfslab
