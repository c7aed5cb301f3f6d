// What chains and segmentations share but for their types.
#include "answers/sequence_wants.hpp"

namespace kirchhoff::cli {

bool needs_seed(const WantList& wants, std::span<const WantForm> forms) {
  return std::ranges::any_of(wants.asks, [&](const Ask& ask) {
    return forms[ask.want].name == kSamples || forms[ask.want].name == kDistinct;
  });
}

void check_needs(unsigned given, const std::vector<Ask>& asks, std::span<const WantForm> forms) {
  for (const Ask& ask : asks) {
    const unsigned missing = forms[ask.want].needs & ~given;
    for (std::size_t bit = 0; bit < kSequenceFields.size(); ++bit) {
      if ((missing >> bit & 1U) == 0) continue;
      const std::string_view name = kSequenceFields[bit].substr(1, kSequenceFields[bit].size() - 2);
      throw ReadError(fmt::format("{}: missing; {} needs it", name, forms[ask.want].name));
    }
  }
}

void write_id_and_length(const std::string& id, int length, JsonWriter& out) {
  out.key("id");
  out.raw(id);
  out.key("length");
  out.write(length);
}

}  // namespace kirchhoff::cli
