"""What is drawn can be seen and read: in light and dark, on a phone, from right to left, with hostile words."""

from support import TELESCOPE, Case

LONG = " ".join(["The old sailor who lived near the harbour said that", *["the man with the telescope saw that"] * 8, "it rained."])
HEBREW = [("הילדה", "NOUN", "NN"), ("ראתה", "VERB", "VBD"), ("את", "ADP", "IN"), ("האיש", "NOUN", "NN"), (".", "PUNCT", ".")]
HOSTILE = ["<script>alert(1)</script>", "]]>", "\u202eevil", "&amp;", "<img/src=x/onerror=alert(1)>", "\u2067a\u2069", "'\"", "{{x}}"]


def conllu(words):
    return "".join(f"{k}\t{form}\t_\t{upos}\t{xpos}\t_\t_\t_\t_\t_\n" for k, (form, upos, xpos) in enumerate(words, 1))


class Looks(Case):
    def check_picture(self):
        """Looks at the pixels, and at the places of what is written."""
        picture = self.one(".drawing").screenshot_as_base64
        colours, painted = self.browser.execute_async_script("""
            const done = arguments[1];
            const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
            createImageBitmap(new Blob([bytes], {type: 'image/png'})).then((image) => {
              const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
              canvas.drawImage(image, 0, 0);
              const pixels = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
              const counts = new Map();
              for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
              done([counts.size, 1 - Math.max(...counts.values()) / pixels.length]);
            })""", picture)
        self.assertGreater(colours, 20, "the picture is blank")
        self.assertGreater(painted, 0.01, "the picture is nearly blank")
        overlaps = self.script("""
            const texts = [...document.querySelectorAll('.drawing')].flatMap((tree) => [...tree.querySelectorAll('text')])
              .filter((text) => text.textContent !== '');
            const boxes = texts.map((text) => text.getBoundingClientRect());
            const found = [];
            boxes.forEach((a, i) => boxes.slice(0, i).forEach((b, j) => {
              const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
              const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
              const stacked = texts[i].parentNode === texts[j].parentNode;
              if (w > 1 && h > (stacked ? 6 : 1)) found.push(`${texts[j].textContent} | ${texts[i].textContent}`);
            }));
            return found""")
        self.assertEqual(overlaps, [], "labels overlap")
        outside = self.script("""
            const frame = document.querySelector('.drawing').getBoundingClientRect();
            return [...document.querySelectorAll('.drawing text')].filter((text) => {
              const box = text.getBoundingClientRect();
              return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1);
            }).map((text) => text.textContent)""")
        self.assertEqual(outside, [], "labels stand outside of the picture")

    def contrast(self, selector):
        """The contrast of an element's text with the card behind it, as the accessibility guidelines count it."""
        return self.script("""
            const light = (colour) => {
              const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => {
                const x = v / 255;
                return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
              });
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const element = document.querySelector(arguments[0]);
            const style = getComputedStyle(element);
            const own = light(element.closest('svg') ? style.fill : style.color);
            const back = light(getComputedStyle(document.querySelector('.card')).backgroundColor);
            return (Math.max(own, back) + 0.05) / (Math.min(own, back) + 0.05)""", selector)

    def test_light_and_dark(self):
        for dark in (False, True):
            self.look(1200, 1000, dark=dark)
            self.open(text=TELESCOPE, require="0.7.5", forbid="0.1.2", threshold="0.01")
            self.assertEqual(self.script("return document.documentElement.dataset.theme"), "dark" if dark else "light")
            self.check_picture()
            for selector in (".drawing .form", ".drawing .note", ".drawing .arc.tree .number", ".drawing .arc.other .number",
                             ".drawing .arc.require .number", ".drawing .arc.forbid .number", ".hint", ".sureness", ".keep", ".reject"):
                self.assertGreaterEqual(self.contrast(selector), 4.5, f"{selector} is hard to read")

    def test_the_button_changes_the_colours_and_they_stay(self):
        self.open()
        self.click("#theme")
        self.assertEqual(self.script("return document.documentElement.dataset.theme"), "dark")
        self.browser.refresh()
        self.until(lambda: self.all(".drawing"))
        self.assertEqual(self.script("return document.documentElement.dataset.theme"), "dark")
        self.click("#theme")
        self.script("localStorage.clear()")

    def test_a_phone(self):
        self.look(390, 800, phone=True)
        self.open(text=TELESCOPE)
        for tab in ("words", "best", "samples", "entropy"):
            self.script("document.querySelector(arguments[0]).click()", f'[data-tab="{tab}"]')
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 390, f"the page is too wide with {tab}")
        self.assertTrue(self.script("const p = document.querySelector('.picture'); return p.scrollWidth > p.clientWidth"))
        self.check_picture()

    def test_long_sentences_scroll(self):
        self.open(text=LONG)
        self.assertGreater(len(self.words()), 60)
        self.assertTrue(self.script("const p = document.querySelector('.picture'); return p.scrollWidth > 2 * p.clientWidth"))
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 1200)
        self.check_picture()
        self.script("document.querySelector('.picture').scrollLeft = 1e6")
        box = self.script("return document.querySelector('.word:last-child').getBoundingClientRect().right")
        self.assertLess(box, 1200)

    def test_right_to_left(self):
        self.open(conllu=conllu(HEBREW))
        x = self.script("return [...document.querySelectorAll('.word')].map((w) => w.getBoundingClientRect().left)")
        self.assertEqual(x, sorted(x, reverse=True), "the root is not at the right, or words run from left to right")
        self.assertEqual(self.one("table.words").get_attribute("dir"), "rtl")
        for selector in (".number", ".note", ".digits", "#input"):  # or "<0.1%" would read "0.1%>"
            self.assertEqual(self.script("return getComputedStyle(document.querySelector(arguments[0])).direction", selector), "ltr")
        self.check_picture()
        self.open(conllu=conllu(HEBREW * 12))
        self.assertLess(self.script("return document.querySelector('.word.root').getBoundingClientRect().right"), 1200,
                        "a long sentence begins at its right end")
        self.assertGreater(self.script("return document.querySelector('.word.root').getBoundingClientRect().left"), 900)

    def test_hostile_words_are_text(self):
        self.open(conllu=conllu([(word, "NOUN", "NN") for word in HOSTILE]), threshold="0.01")
        visible = [word.replace("\u202e", "[U+202E]").replace("\u2067", "[U+2067]").replace("\u2069", "[U+2069]") for word in HOSTILE]
        self.assertEqual(self.words(), visible)
        self.assertEqual(self.texts("table.words tbody th"), visible)
        self.check_picture()
        self.hover('[data-word="1"]')
        self.click_word(1)
        self.click_word(3)
        self.until(lambda: self.corrections() == {"require": "0.1.3"})
        self.until(lambda: self.all(".chip"))
        for tab in ("best", "samples", "entropy"):
            self.click(f'[data-tab="{tab}"]')
        self.assertEqual(self.script("return document.querySelectorAll('main script, main img, [onerror]').length"), 0)
        hidden = self.script(r"return /[\u202a-\u202e\u2066\u2067]/.test(document.querySelector('main').textContent)")
        self.assertFalse(hidden, "a character that turns the direction is in the page")

    def test_nothing_comes_from_elsewhere(self):
        self.open()
        origins = self.script("return performance.getEntriesByType('resource').map((e) => new URL(e.name).origin)")
        self.assertEqual(set(origins), {self.script("return location.origin")})
