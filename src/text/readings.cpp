// Compares readings of words with tags.
#include "text/readings.hpp"

#include <algorithm>

namespace kirchhoff::text {
namespace {

/// The number of a universal tag, or -1.
int number_of(const TagModel& model, std::string_view upos) {
  const auto found = std::find(model.upos.begin(), model.upos.end(), upos);
  return found == model.upos.end() ? -1 : static_cast<int>(found - model.upos.begin());
}

bool agrees(std::string_view given, std::string_view value) { return given == "_" || given == value; }

/// The readings of a word that may have this universal tag.
std::vector<const LexiconEntry*> readings_of(const TagModel& model, const KnownWords& lexicon, std::string_view form,
                                             int upos) {
  std::vector<const LexiconEntry*> readings;
  for (const LexiconEntry& reading : lexicon.readings(form)) {
    if (agrees(reading.upos, model.upos[static_cast<std::size_t>(upos)])) readings.push_back(&reading);
  }
  return readings;
}

}  // namespace

std::vector<std::vector<int>> allowed_tags(const TagModel& model, const Sentence& sentence, const TagOptions& options) {
  std::vector<std::vector<int>> allowed(static_cast<std::size_t>(sentence.size()));
  for (int word = 1; word <= sentence.size(); ++word) {
    std::vector<int>& own = allowed[static_cast<std::size_t>(word - 1)];
    if (const int given = options.keep ? number_of(model, sentence.upos(word)) : -1; given >= 0) {
      own = {given};
    } else if (options.lexicon != nullptr) {
      bool any = false;  // A reading leaves the tag open.
      for (const LexiconEntry& reading : options.lexicon->readings(sentence.form(word))) {
        any |= reading.upos == "_";
        if (const int upos = number_of(model, reading.upos); upos >= 0) own.push_back(upos);
      }
      if (any) own.clear();
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
  }
  return allowed;
}

std::vector<int> allowed_morphologies(const TagModel& model, const KnownWords& lexicon, std::string_view form,
                                      int upos) {
  const auto readings = readings_of(model, lexicon, form, upos);
  std::vector<int> some;
  for (const int tag : model.of_upos[static_cast<std::size_t>(upos)]) {
    const Morphology& m = model.morphologies[static_cast<std::size_t>(tag)];
    const auto fits = [&](const LexiconEntry* r) { return agrees(r->xpos, m.xpos) && agrees(r->feats, m.feats); };
    if (std::any_of(readings.begin(), readings.end(), fits)) some.push_back(tag);
  }
  return some;
}

void set_readings(const TagModel& model, const KnownWords& lexicon, const Tags& upos, Sentence& sentence) {
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto readings = readings_of(model, lexicon, sentence.form(word), upos[static_cast<std::size_t>(word - 1)]);
    if (readings.empty()) continue;
    const auto fits = [&](const LexiconEntry* r) {
      return agrees(r->xpos, sentence.xpos(word)) && agrees(r->feats, sentence.feats(word));
    };
    const auto found = std::find_if(readings.begin(), readings.end(), fits);
    const LexiconEntry& reading = found == readings.end() ? *readings.front() : **found;
    if (reading.xpos != "_") sentence.set(word, Column::xpos, reading.xpos);
    if (reading.feats != "_") sentence.set(word, Column::feats, reading.feats);
    if (reading.lemma != "_") sentence.set(word, Column::lemma, reading.lemma);
  }
}

}  // namespace kirchhoff::text
