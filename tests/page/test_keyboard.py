"""Everything can be done with the keyboard, and screen readers are told what is seen."""

from support import TELESCOPE, Case, Keys


class Keyboard(Case):
    CONTROLS = {"button", "combobox", "link", "radio", "slider", "tab", "tabpanel", "textbox", "DisclosureTriangle"}

    def focused(self):
        return self.script("return document.activeElement.dataset.key ?? document.activeElement.id")

    def tab_to(self, key):
        for _ in range(60):
            if self.focused() == key:
                return
            self.press(Keys.TAB)
        self.fail(f"the key Tab does not come to {key}")

    def test_a_parse_is_corrected_without_a_mouse(self):
        self.open(text=TELESCOPE)
        before = self.heads()
        self.tab_to("word 1")
        for _ in range(6):
            self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.focused(), "word 7")
        self.until(lambda: self.shown(".tip"), "the alternatives of the word with the focus")
        self.press(Keys.ENTER)
        self.assertEqual(self.focused(), "word 7", "the focus stays when the picture is drawn again")
        self.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.assertIn("as the head of telescope", self.one('[data-word="5"]').get_attribute("aria-label"))
        self.press(Keys.ENTER)
        self.until(lambda: self.heads()[6] == 5)
        self.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.DELETE)
        self.until(lambda: self.corrections().get("forbid") == f"0.1.{self.parsed_heads()[0]}")
        self.press_with(Keys.CONTROL, "z")
        self.press_with(Keys.CONTROL, "z")
        self.until_heads(before)

    def test_tabs_turn_with_arrows(self):
        self.open()
        self.tab_to("tab words")
        self.press(Keys.ARROW_RIGHT)
        self.until(lambda: self.focused() == "tab best" and self.all(".tree-row"))
        self.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.until(lambda: self.focused() == "tab entropy" and self.all(".entropies"))

    def test_every_control_has_a_name(self):
        self.open(text=TELESCOPE, require="0.7.5")
        for tab in ("words", "best", "samples", "entropy"):
            self.click(f'[data-tab="{tab}"]')
            self.until(lambda: self.one(f'[data-tab="{tab}"]').get_attribute("aria-selected") == "true")
            controls = [node for node in self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
                        if not node["ignored"] and node["role"]["value"] in self.CONTROLS]
            self.assertGreater(len(controls), 25)
            for node in controls:
                self.assertTrue(node["name"]["value"], f"{node['role']['value']} without a name: {node['properties']}")

    def test_the_table_says_what_the_picture_says(self):
        self.open()
        rows = self.all("table.words tbody tr")
        self.assertEqual([row.find_element("css selector", "th").text for row in rows], self.words())
        chosen = self.script("return [...document.querySelectorAll('table.words select')].map((s) => Number(s.value))")
        self.assertEqual(chosen, self.heads())
        self.assertEqual([element.get_attribute("aria-label") for element in self.all("table.words select")][6], "Head of telescope, word 7")
        self.assertIn("saw, word 2, VERB, root of the root", self.one('[data-word="2"]').get_attribute("aria-label"))
        self.assertEqual(self.one("#message").get_attribute("aria-live"), "polite")
        self.assertEqual(self.one("#problem").get_attribute("role"), "alert")
