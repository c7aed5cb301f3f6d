"""The rules by name, in the order in which scripts/check_layout reports them."""

from . import architecture, build_lists, citations, includes, openings, prose, sizes, vocabulary

RULES = {
    "includes": includes.check,
    "sizes": sizes.check,
    "openings": openings.check,
    "citations": citations.check,
    "prose": prose.check,
    "vocabulary": vocabulary.check,
    "architecture": architecture.check,
    "build_lists": build_lists.check,
}
