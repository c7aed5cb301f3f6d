// Edit scripts: how a lemma is made from a form, and the words of a multiword token from what is written. Few scripts
// serve most words, so a classifier can choose among them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

/// The script that makes the lemma from the form: take characters away at both ends and put others there, of the form
/// as it is or in lower case; or the lemma itself where they have nothing in common.
std::string lemma_script(std::string_view form, std::string_view lemma);
/// The lemma, or nothing when the form is too short for the script or the script is none.
std::optional<std::string> apply_lemma_script(std::string_view script, std::string_view form);

/// The script of a token that is one word.
inline constexpr std::string_view kOneWord = "=";
/// The script that splits a token into words. Words that are the token's own characters are told by their lengths.
std::string split_script(std::string_view form, const std::vector<std::string_view>& words);
/// The words, or nothing when the form is too short for the script or the script is none.
std::optional<std::vector<std::string>> apply_split_script(std::string_view script, std::string_view form);

}  // namespace kirchhoff::text
