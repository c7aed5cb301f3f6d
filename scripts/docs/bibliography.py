"""Makes the page of references out of docs/references.bib."""

import re
from pathlib import Path

_ACCENTS = {"\\'c": "ć", "\\'e": "é", "\\'a": "á", "\\'o": "ó", "\\'i": "í", "\\'u": "ú", '\\"o': "ö", '\\"u': "ü",
            '\\"a': "ä", "\\v{z}": "ž", "\\v{s}": "š", "\\v{c}": "č", "\\c{c}": "ç", "\\o": "ø", "\\l": "ł",
            "--": "–", "\\&": "&", "~": " ", "$^3$": "³"}


def _plain(text):
    for tex, letter in _ACCENTS.items():
        text = text.replace(tex, letter)
    return re.sub(r"\s+", " ", re.sub(r"[{}]", "", text)).replace("*", "\\*").strip()


def entries(bib):
    """Yields (key, fields) of each entry of a BibTeX file."""
    for key, body in re.findall(r"^@\w+\{([^,]+),\n(.*?)^\}", Path(bib).read_text(encoding="utf-8"), re.M | re.S):
        found = re.findall(r"^\s*(\w+)\s*=\s*(?:\{(.*?)\}|\"(.*?)\"|(\d+)),?\s*$", body, re.M | re.S)
        yield key.strip(), {name.lower(): _plain(a or b or c) for name, a, b, c in found}


def _authors(names):
    people = [" ".join(reversed([part.strip() for part in name.split(",", 1)])) for name in names.split(" and ")]
    return people[0] if len(people) == 1 else ", ".join(people[:-1]) + " and " + people[-1]


def page(bib):
    """The Markdown page, one paragraph with an anchor for each entry."""
    out = ["# References\n", "The keys in brackets on these pages and in the source are those of this list.\n"]
    for key, it in sorted(entries(bib)):
        places = ("journal", "booktitle", "publisher", "institution", "howpublished")
        where = next((it[place] for place in places if place in it), None)
        number = it["volume"] + (f"({it['number']})" if "number" in it else "") if "volume" in it else None
        pages = f"pages {it['pages']}" if "pages" in it else None
        link = it.get("url") or (f"https://doi.org/{it['doi']}" if "doi" in it else None)
        title = f"[{it['title']}]({link})" if link else it["title"]
        rest = ", ".join(part for part in (f"*{where}*" if where else None, number, pages) if part)
        out.append(f'<a id="{key}"></a>**[{key}]** {_authors(it["author"])} ({it.get("year", "n.d.")}). {title}. '
                   + (f"{rest}.\n" if rest else "\n"))
    return "\n".join(out)
