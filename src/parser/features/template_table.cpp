// The templates of the built-in features, after McDonald et al. [McDonald05] and Martins et al. [Martins13], with more
// context and fewer words.
#include "parser/features/templates.hpp"

namespace kirchhoff::parser {

const std::string_view kArcTemplates = R"(any dir dist | h.tag
any dir dist | h.form h.tag
dir dist | h.lemma h.upos
dir dist | h.upos h.feats
dir dist | d.tag
dir dist | d.form d.tag
dir dist | d.lemma d.upos
dir dist | d.upos d.feats
dir dist | h.upos d.upos
dir dist | h.tag d.tag
dir dist | h.form d.form
dir dist | h.lemma d.lemma
dir dist | h.lemma d.tag
dir dist | h.tag d.lemma
dir dist | h.lemma d.upos
dir dist | h.upos d.lemma
dir dist | h.form d.tag
dir dist | h.tag d.form
dir | h.lemma h.tag d.lemma d.tag
dir | h.suffix d.suffix
dir | h.suffix d.tag
dir | h.tag d.suffix
dir | h.prefix d.prefix
dir | h.tag d.prefix
dir | h.upos d.upos d.shape
dir | h.upos d.upos h.shape
dir dist | h.upos h.feats d.upos d.feats
dir | h.upos h.feats d.upos d.lemma
dir | h.upos h.lemma d.upos d.feats
dir dist | h.upos d.upos agree
dir dist | h.tag h+1.tag d-1.tag d.tag
dir dist | h-1.tag h.tag d-1.tag d.tag
dir dist | h.tag h+1.tag d.tag d+1.tag
dir dist | h-1.tag h.tag d.tag d+1.tag
dir dist | h.upos h+1.upos d-1.upos d.upos
dir dist | h-1.upos h.upos d-1.upos d.upos
dir dist | h.upos h+1.upos d.upos d+1.upos
dir dist | h-1.upos h.upos d.upos d+1.upos
dir dist | h.tag h+1.tag d.tag
dir dist | h-1.tag h.tag d.tag
dir dist | h.tag d-1.tag d.tag
dir dist | h.tag d.tag d+1.tag
dir dist | h.upos d-1.upos d.upos d+1.upos
dir dist | h-1.upos h.upos h+1.upos d.upos
dir | h.upos d-2.upos d-1.upos d.upos d+1.upos
dir | h.upos d-1.upos d.upos d+1.upos d+2.upos
dir | h-1.upos h.upos h+1.upos d-1.upos d.upos d+1.upos
dir dist | h.upos d.upos d-1.lemma
dir dist | h.upos d.upos d+1.lemma
dir dist | h.upos d.upos h-1.lemma
dir dist | h.upos d.upos h+1.lemma
dir | h.lemma d.upos d-1.lemma
dir | h.lemma d.lemma d-1.lemma
dir | h.lemma h-1.lemma d.upos
dir | h.lemma h+1.lemma d.upos
dir | h.upos d.lemma d+1.lemma
dir | h.upos d.lemma d-1.lemma
dir dist | h.tag d.tag puncts
dir dist | h.tag d.tag verbs
dir | h.upos d.upos puncts verbs conjs
dir | h.lemma d.upos puncts verbs
dir | h.upos d.lemma puncts verbs
dir dist | h.upos d.upos likes
dir | h.tag d.tag likes
dir | h.lemma d.upos likes
dir | h.upos d.lemma likes
dir | h.upos d.upos likes puncts verbs
dir dist | h.upos d.upos d.lead
dir dist | h.upos h.lead d.upos
dir | h.tag d.tag d.lead
dir | h.tag h.lead d.tag d.lead
dir | h.lemma d.upos d.lead
dir | h.lemma d.lemma d.lead
dir | h.upos d.lemma d.lead
dir | h.upos d.upos d.lead puncts verbs
dir | h.tag d.tag between
dir | h.lemma d.upos between
dir | h.upos d.lemma between
)";

// h head, d dependent, g head of the head, l and r the head's other dependents next to d, a and z the first and the
// last dependent of d.
const std::string_view kLabelTemplates = R"(any dir | h.tag d.tag
any | d.tag
any | d.form d.tag
any | d.lemma
any | d.suffix d.tag
any | d.prefix d.tag
any | d.shape d.tag
any | d.upos d.feats
any | h.lemma h.tag
any | h.tag
dist | d.tag
dist | h.upos d.upos
dist | h.tag d.tag
dist | h.lemma d.upos
dist | h.upos d.lemma
dir | h.lemma d.lemma
dir | h.form d.form
dir | h.lemma d.tag
dir | h.tag d.lemma
dir | h.tag d.form
dir | h.form d.tag
dir | h.suffix d.tag
dir | h.tag d.suffix
dir | h.upos h.feats d.upos d.feats
dir | h.upos h.feats d.lemma
dir | h.lemma d.upos d.feats
dir | h.upos d.upos agree
dir | h.upos d-1.upos d.upos d+1.upos
dir | h-1.upos h.upos h+1.upos d.upos
dir | h.tag d-1.tag d.tag
dir | h.tag d.tag d+1.tag
dir | h.tag d.tag d-1.lemma
dir | h.tag d.tag d+1.lemma
dir | h.upos d.upos puncts verbs conjs
any | d.tag d.lead
dir | h.tag d.tag d.lead
dir | h.lemma d.upos d.lead
dir | g.upos h.upos d.upos
dir | g.tag h.tag d.tag
dir | g.lemma h.upos d.tag
dir | g.upos h.lemma d.tag
dir | h.tag d.tag l.tag
dir | h.tag d.tag r.tag
dir | h.upos d.upos l.upos r.upos
dir | h.lemma d.tag l.upos
dir | h.lemma d.tag r.upos
dir | h.lemma d.tag l.lemma
dir | h.lemma d.tag r.lemma
dir | h.tag d.tag a.tag
dir | h.tag d.tag z.tag
dir | h.tag d.tag a.lemma
dir | h.tag d.tag z.lemma
dir | h.lemma d.upos a.lemma
dir | h.lemma d.upos z.lemma
dir | h.upos d.lemma a.lemma
dir | h.upos d.lemma z.lemma
dir | h.upos d.upos a.upos z.upos
dir | d.lemma a.lemma z.upos
dir | h.upos d.upos between
)";

// h head, d a dependent or the head itself, s the next dependent on the same side or the mark of the end.
const std::string_view kSiblingTemplates = R"(dir2 dist2 | d.upos s.upos
dir2 dist2 | d.tag s.tag
dir2 dist2 | h.upos d.upos s.upos
dir2 dist | h.tag d.tag s.tag
dir2 | h.upos s.upos puncts2
dir2 | h.upos d.upos s.upos puncts2
dir2 | d.lemma s.lemma
dir2 | d.lemma s.tag
dir2 | d.tag s.lemma
dir2 | d.lemma s.upos puncts2
dir2 | d.upos s.lemma puncts2
dir2 | h.lemma d.upos s.upos
dir2 | h.upos d.lemma s.upos
dir2 | h.upos d.upos s.lemma
dir2 | h.lemma d.tag s.tag
dir2 | h.tag d.lemma s.tag
dir2 | h.tag d.tag s.lemma
dir2 | h.lemma d.lemma s.upos
dir2 | h.lemma d.upos s.lemma
dir2 | h.upos d.lemma s.lemma
dir2 | h.upos h.feats d.upos d.feats s.upos s.feats
dir2 | d.upos d.feats s.upos s.feats
dir2 | h.upos d.suffix s.suffix
dir2 | h.tag d.tag d+1.tag s.tag
dir2 | h.tag d.tag d-1.tag s.tag
dir2 | h.tag d.tag s.tag s+1.tag
dir2 | h.tag d.tag s-1.tag s.tag
dir2 | h.upos h+1.upos d.upos s.upos
dir2 | h-1.upos h.upos d.upos s.upos
dir2 | d-1.upos d.upos d+1.upos s.upos
dir2 | d.upos s-1.upos s.upos s+1.upos
)";

// g head of h, h head of d. The three directions together say whether g lies between h and d: then the arc h -> d is
// not projective.
const std::string_view kGrandparentTemplates = R"(dir | dir2 dir3
dir | h.upos d.upos dir2 dir3
dir dir2 dir3 | g.upos d.upos
dir dir2 dist2 | g.tag h.tag d.tag dir3
dir dist2 dist | g.upos h.upos d.upos dir2 dir3
dir | g.tag d.tag dir2 dir3
dir | g.upos h.upos d.upos puncts dir2 dir3
dir | g.upos h.upos d.upos puncts2 dir2 dir3
dir | g.lemma d.lemma dir2 dir3
dir | g.lemma d.tag dir2 dir3
dir | g.tag d.lemma dir2 dir3
dir | g.lemma h.upos d.upos dir2 dir3
dir | g.upos h.lemma d.upos dir2 dir3
dir | g.upos h.upos d.lemma dir2 dir3
dir | g.lemma h.tag d.tag dir2 dir3
dir | g.tag h.lemma d.tag dir2 dir3
dir | g.tag h.tag d.lemma dir2 dir3
dir | g.lemma h.lemma d.upos dir2 dir3
dir | g.lemma h.upos d.lemma dir2 dir3
dir | g.upos h.lemma d.lemma dir2 dir3
dir | g.upos g.feats h.upos h.feats d.upos d.feats dir2 dir3
dir | g.upos g.feats d.upos d.feats dir2 dir3
dir | g.suffix h.upos d.suffix dir2 dir3
dir | g.tag g+1.tag h.tag d.tag dir2 dir3
dir | g-1.tag g.tag h.tag d.tag dir2 dir3
dir | g.tag h.tag h+1.tag d.tag dir2 dir3
dir | g.tag h-1.tag h.tag d.tag dir2 dir3
dir | g.tag h.tag d.tag d+1.tag dir2 dir3
dir | g.tag h.tag d-1.tag d.tag dir2 dir3
)";

// h head, d and s two of its dependents, d before s: on which sides of the head they are is in all templates.
const std::string_view kAllSiblingTemplates = R"(dir | dir3
dir dist2 | d.upos s.upos dir3
dir dist2 | d.tag s.tag dir3
dir dist2 | h.upos d.upos s.upos dir3
dir dist | h.tag d.tag s.tag dir3
dir | h.upos d.upos s.upos puncts2 dir3
dir | d.lemma s.lemma dir3
dir | d.lemma s.tag dir3
dir | d.tag s.lemma dir3
dir | h.lemma d.upos s.upos dir3
dir | h.upos d.lemma s.upos dir3
dir | h.upos d.upos s.lemma dir3
dir | h.lemma d.tag s.tag dir3
dir | h.tag d.lemma s.tag dir3
dir | h.tag d.tag s.lemma dir3
dir | h.lemma d.lemma s.upos dir3
dir | h.lemma d.upos s.lemma dir3
dir | h.upos d.lemma s.lemma dir3
dir | h.upos h.feats d.upos d.feats s.upos s.feats dir3
dir | d.upos d.feats s.upos s.feats dir3
dir | h.upos d.suffix s.suffix dir3
dir | h.tag d.tag d+1.tag s.tag dir3
dir | h.tag d.tag d-1.tag s.tag dir3
dir | h.tag d.tag s.tag s+1.tag dir3
dir | h.tag d.tag s-1.tag s.tag dir3
)";

// h head of d, k head of the word after d.
const std::string_view kBigramTemplates = R"(dir | dir2 dir3
dir | d.upos d+1.upos dir2 dir3
dir | h.upos d.upos d+1.upos k.upos dir2 dir3
dir | h.tag d.tag d+1.tag k.tag dir2 dir3
dir | h.upos k.upos dir2 dir3
dir | h.tag d.tag k.tag dir2 dir3
dir | h.tag d+1.tag k.tag dir2 dir3
dir | h.lemma k.lemma dir2 dir3
dir | h.lemma d.upos d+1.upos k.upos dir2 dir3
dir | h.upos d.upos d+1.upos k.lemma dir2 dir3
dir | h.upos d.lemma d+1.upos k.upos dir2 dir3
dir | h.upos d.upos d+1.lemma k.upos dir2 dir3
dir dist dist2 | h.upos d.upos d+1.upos k.upos dir3
)";

// An arc that spans a word which its head does not dominate.
const std::string_view kNonProjectiveTemplates = R"(any dir dist | h.upos
any dir dist | d.upos
any dir dist | h.upos d.upos
dir | h.tag
dir | d.tag
dir | h.tag d.tag
dir | h.lemma
dir | d.lemma
dir | h.lemma d.upos
dir | h.upos d.lemma
dir | h.lemma d.lemma
dir | h.upos d.upos puncts verbs
dir | d-1.upos d.upos d+1.upos
dir | h-1.upos h.upos h+1.upos
dir | h.upos d.upos between
)";

}  // namespace kirchhoff::parser
