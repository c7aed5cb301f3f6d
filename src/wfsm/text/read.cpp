// Reading machines and symbol tables from text, line by line.
#include "kirchhoff/wfsm_text.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace kirchhoff {
namespace {

constexpr std::size_t kMaxFields = 6;

struct FieldLine {
  std::size_t number = 0;
  std::size_t count = 0;  ///< the number of fields; those beyond kMaxFields are counted but not kept
  std::string_view fields[kMaxFields];
};

/// The lines that are not blank, with their fields.
class FieldLines {
 public:
  explicit FieldLines(std::string_view text) : text_(text) {}
  std::optional<FieldLine> next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const FieldLine line = split(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (line.count > 0) return line;
    }
    return std::nullopt;
  }

 private:
  FieldLine split(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\v\f";
    FieldLine line;
    line.number = ++number_;
    for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
      if (line.count < kMaxFields) line.fields[line.count] = text.substr(at, end - at);
      ++line.count;
      at = text.find_first_not_of(kSpace, end);
    }
    return line;
  }
  std::string_view text_;
  std::size_t number_ = 0;
};

/// The field in quotes, printable and short.
std::string quoted(std::string_view field) {
  std::string text = "'";
  for (const char c : field.substr(0, 40)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (field.size() > 40 ? "...'" : "'");
}

[[noreturn]] void fail(const std::string& name, std::size_t line, const std::string& problem) {
  throw InputError(name + ":" + std::to_string(line) + ": " + problem);
}

/// Reads a whole number >= 0, or returns nothing.
std::optional<int> whole(std::string_view field) {
  int value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || value < 0) return std::nullopt;
  return value;
}

class MachineReader {
 public:
  MachineReader(std::string_view text, const WfsmTextOptions& options) : options_(options) {
    bool transducer = options.arcs == ArcFormat::transducer;
    std::size_t lines = 0;
    FieldLines scan(text);
    for (auto line = scan.next(); line; line = scan.next(), ++lines) {
      transducer = transducer || (options.arcs == ArcFormat::automatic && line->count == 5);
    }
    if (lines == 0) throw InputError(options.name + ": no start state: there is no line");
    symbols_ = transducer ? 2 : 1;
    most_states_ = 1'000'000 + 16 * lines;
    FieldLines read(text);
    for (auto line = read.next(); line; line = read.next()) read_line(*line);
  }

  /// What the text says.
  const WfsmBuilder& builder() {
    const auto known = [&](int s) { return s == start_ || (s < static_cast<int>(in_arc_.size()) && in_arc_[s]); };
    for (const Final& f : finals_) {
      if (!known(f.state)) fail(f.line, "state " + std::to_string(f.state) + " is in no transition");
      if (f.again) fail(f.line, "state " + std::to_string(f.state) + " has a final weight already");
      builder_.set_final(f.state, f.log_weight);
    }
    return builder_.set_start(start_).set_symbols(options_.symbols);
  }

  Wfsm build() {
    const WfsmBuilder& machine = builder();
    try {
      return machine.build(options_.accuracy);
    } catch (const InfiniteSum& e) {
      fail(lines_[e.transition], without_function(e.what()));
    } catch (const Infeasible& e) {
      throw Infeasible(options_.name + ": " + without_function(e.what()));
    }
  }

 private:
  struct Final {
    int state = 0;
    double log_weight = 0.0;
    std::size_t line = 0;
    bool again = false;
  };

  static std::string without_function(const std::string& message) { return message.substr(message.find("] ") + 2); }

  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    kirchhoff::fail(options_.name, line, problem);
  }

  void read_line(const FieldLine& line) {
    if (line.count <= 2) {
      read_final(line);
    } else if (line.count == symbols_ + 2 || line.count == symbols_ + 3) {
      read_transition(line);
    } else {
      fail(line.number, std::to_string(line.count) + " fields; expected " +
                            (symbols_ == 1 ? "FROM TO SYMBOL [WEIGHT]" : "FROM TO SYMBOL OUTPUT [WEIGHT]") +
                            " or STATE [WEIGHT]");
    }
  }

  void read_final(const FieldLine& line) {
    Final f{state(line, 0), line.count == 2 ? weight(line, 1) : 0.0, line.number, false};
    f.again = has_final_[f.state];
    has_final_[f.state] = 1;
    finals_.push_back(f);
  }

  void read_transition(const FieldLine& line) {
    Transition t;
    t.from = state(line, 0);
    t.to = state(line, 1);
    in_arc_[t.from] = in_arc_[t.to] = 1;
    t.symbol = symbol(line, 2, options_.symbols.input, "input");
    if (symbols_ == 2) t.output = symbol(line, 3, options_.symbols.output, "output");
    t.log_weight = line.count == symbols_ + 3 ? weight(line, symbols_ + 2) : 0.0;
    builder_.add_transition(t);
    lines_.push_back(line.number);
  }

  int state(const FieldLine& line, std::size_t field) {
    const auto number = whole(line.fields[field]);
    if (!number) fail(line.number, "state " + quoted(line.fields[field]) + " is not a number >= 0");
    if (static_cast<std::size_t>(*number) >= most_states_) {
      fail(line.number, "state " + std::to_string(*number) + " is too large a number for a file of this size");
    }
    if (static_cast<std::size_t>(*number) >= in_arc_.size()) {
      builder_.add_states(*number + 1 - static_cast<int>(in_arc_.size()));
      in_arc_.resize(*number + 1);
      has_final_.resize(*number + 1);
    }
    if (start_ < 0) start_ = *number;
    return *number;
  }

  int symbol(const FieldLine& line, std::size_t field, const SymbolTable& table, const char* kind) const {
    const std::string_view name = line.fields[field];
    if (!table.empty()) {
      const int symbol = table.find(name);
      if (symbol < 0) fail(line.number, "symbol " + quoted(name) + " is not in the table of " + kind + " symbols");
      return symbol;
    }
    const auto number = whole(name);
    if (!number) {
      fail(line.number,
           "symbol " + quoted(name) + " is not a number >= 0, and there is no table of " + kind + " symbols");
    }
    return *number;
  }

  double weight(const FieldLine& line, std::size_t field) const {
    const std::string_view text = line.fields[field];
    double x = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error == std::errc::result_out_of_range || end != text.data() + text.size() || error != std::errc() ||
        std::isnan(x)) {
      fail(line.number, "weight " + quoted(text) + " is not a number");
    }
    if (options_.weights == WeightKind::real && x < 0.0) fail(line.number, "weight " + quoted(text) + " is negative");
    const double log_weight = options_.weights == WeightKind::neglog ? -x
                              : options_.weights == WeightKind::log  ? x
                                                                     : std::log(x);
    if (log_weight == HUGE_VAL) fail(line.number, "weight " + quoted(text) + " is infinite");
    if (std::abs(log_weight) > 1e9 && log_weight != -HUGE_VAL) {
      fail(line.number, "weight " + quoted(text) + " is beyond exp(1e9) or exp(-1e9)");
    }
    return log_weight + 0.0;  // no -0
  }

  const WfsmTextOptions& options_;
  WfsmBuilder builder_;
  std::size_t symbols_ = 1;  // the number of symbols on each transition
  std::size_t most_states_ = 0;
  int start_ = -1;
  std::vector<char> in_arc_, has_final_;
  std::vector<Final> finals_;
  std::vector<std::size_t> lines_;  // the line of each transition
};

}  // namespace

Wfsm read_wfsm(std::string_view text, const WfsmTextOptions& options) { return MachineReader(text, options).build(); }

WfsmBuilder read_wfsm_builder(std::string_view text, const WfsmTextOptions& options) {
  return MachineReader(text, options).builder();
}

SymbolTable read_symbols(std::string_view text, const std::string& name) {
  SymbolTable table;
  FieldLines lines(text);
  for (auto line = lines.next(); line; line = lines.next()) {
    if (line->count != 2) {
      fail(name, line->number, std::to_string(line->count) + " fields; expected NAME NUMBER");
    }
    const auto number = whole(line->fields[1]);
    if (!number) fail(name, line->number, quoted(line->fields[1]) + " is not a number >= 0");
    try {
      table.add(std::string(line->fields[0]), *number);
    } catch (const InputError& e) {
      const std::string message = e.what();
      fail(name, line->number, message.substr(message.find("] ") + 2));
    }
  }
  return table;
}

}  // namespace kirchhoff
