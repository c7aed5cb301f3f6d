// Writes man pages with the macros of man(7): options become tagged paragraphs, and the texts below them, whose tables
// and examples are set by hand, stay as they are.
#include "manual/man_page.hpp"

#include <kirchhoff/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kirchhoff::cli {
namespace {

/// Text in which troff finds nothing to interpret.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_line = i == 0 || text[i - 1] == '\n';
    if (starts_line && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    switch (text[i]) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string head(const std::string& name, const std::string& summary) {
  return fmt::format(
      ".\\\" Made by 'kirchhoff man'.\n.TH {} 1 \"\" \"kirchhoff {}\" \"Kirchhoff Manual\"\n.SH NAME\n{} \\- {}\n",
      upper_case(plain(name)), kVersion, plain(name), plain(summary));
}

/// "--root single|multi" as it stands before its description.
std::string tag_of(const CommandOption& option) {
  if (option.positional) return fmt::format("\\fI{}\\fR", plain(option.names[0]));
  std::string out;
  for (const std::string& name : option.names) out += (out.empty() ? "" : ", ") + bold(name);
  if (option.takes_value()) out += fmt::format(" \\fI{}\\fR", plain(option.value));
  return out;
}

std::string synopsis(const std::string& command, const Command& of) {
  std::string out = fmt::format(".SH SYNOPSIS\n.HP\n{}", bold(command));
  for (const CommandOption& option : of.options) {
    if (option.required && !option.positional) out += " " + tag_of(option);
  }
  out += " [\\fIoptions\\fR]";
  for (const CommandOption& option : of.options) {
    if (!option.positional) continue;
    out += option.required ? " " + tag_of(option) : fmt::format(" [{}]", tag_of(option));
  }
  return out + "\n";
}

std::string options_of(const Command& command) {
  std::string out = ".SH OPTIONS\n";
  for (const CommandOption& option : command.options) {
    out += fmt::format(".TP\n{}\n{}\n", tag_of(option), plain(option.description));
  }
  return out;
}

/// The footer of the help, line by line as it was set.
std::string as_set(const std::string& text) {
  std::string_view rest = text;
  while (rest.starts_with('\n')) rest.remove_prefix(1);
  while (rest.ends_with('\n')) rest.remove_suffix(1);
  return rest.empty() ? "" : fmt::format(".SH DESCRIPTION\n.nf\n{}\n.fi\n", plain(rest));
}

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
0
All is well.
.TP
1
The input is bad, a file cannot be read or written, or a graph has no answer.
.TP
2
The command line is wrong.
)";

}  // namespace

std::string man_page(const Command& program) {
  std::string out = head("kirchhoff", program.summary);
  out += ".SH SYNOPSIS\n.HP\n\\fBkirchhoff\\fR \\fIVERB\\fR [\\fIoptions\\fR] [\\fIFILE\\fR]\n";
  out += as_set(program.footer) + ".SH VERBS\n";
  for (const Command& verb : program.commands) {
    out += fmt::format(".TP\n{}\n{}.\n", bold(verb.name), plain(verb.summary));
  }
  out += options_of(program) + kExitStatus + ".SH SEE ALSO\n";
  std::vector<std::string> pages;
  for (const Command& verb : program.commands) {
    if (verb.name != "help") pages.push_back(fmt::format("\\fBkirchhoff\\-{}\\fR(1)", verb.name));
  }
  return out + fmt::format("{}\n", fmt::join(pages, ",\n"));
}

std::string man_page_of_verb(const Command& verb) {
  std::string out = head("kirchhoff-" + verb.name, verb.summary);
  if (verb.commands.empty()) out += synopsis("kirchhoff " + verb.name, verb);
  for (const Command& inner : verb.commands)
    out += synopsis(fmt::format("kirchhoff {} {}", verb.name, inner.name), inner);
  out += as_set(verb.footer) + options_of(verb);
  for (const Command& inner : verb.commands) {
    for (const CommandOption& option : inner.options) {
      if (option.positional) out += fmt::format(".TP\n{}\n{}\n", tag_of(option), plain(option.description));
    }
  }
  return out + kExitStatus + ".SH SEE ALSO\n\\fBkirchhoff\\fR(1)\n";
}

}  // namespace kirchhoff::cli
