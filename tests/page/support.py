"""Runs the service with a small model and a browser, and helps to click, type and look."""

import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

TREEBANK = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "treebank"
TELESCOPE = "She saw the man with the telescope."
PATIENCE = 60  # seconds, for machines that are busy
PROGRAM = ADDRESS = FOLDER = BROWSER = None


def started(process):
    """The address that the service prints when it is ready."""
    for line in process.stderr:
        found = re.search(r"open (http://\S+?)/? in a browser", line)
        if found:
            return found[1]
    raise AssertionError("the service ended before it told its address")


@contextlib.contextmanager
def serving(*arguments):
    """Runs the service; the value is its address."""
    service = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--log", "events", *arguments], stderr=subprocess.PIPE, text=True)
    try:
        yield started(service)
    finally:
        service.terminate()
        service.stderr.close()
        service.wait()


def open_browser(folder):
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--lang=en", "--window-size=1200,1000"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


@contextlib.contextmanager
def running(program):
    """Everything that the tests need, for as long as they run."""
    global PROGRAM, ADDRESS, FOLDER, BROWSER
    PROGRAM = program
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        model = FOLDER / "english.model"
        subprocess.run([program, "train", "--pipeline", "--train", TREEBANK / "train.conllu", "--dev", TREEBANK / "dev.conllu",
                        "--epochs", "3", "--model", model], check=True, capture_output=True)
        with serving("--model", model, "--model", f"second={model}") as ADDRESS:
            BROWSER = open_browser(FOLDER)
            try:
                yield
            finally:
                BROWSER.quit()


def ask(path, body=None):
    """What the service answers without the page."""
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    request = urllib.request.Request(f"{ADDRESS}{path}", data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read().decode()


class Case(unittest.TestCase):
    maxDiff = None
    allowed = ()  # parts of messages in the browser's console that a test expects

    def setUp(self):
        self.browser = BROWSER
        self.look(1200, 1000)
        BROWSER.get_log("browser")
        for file in [*FOLDER.glob("tree*.*")]:
            file.unlink()

    def tearDown(self):
        errors = [entry["message"] for entry in BROWSER.get_log("browser")
                  if not any(part in entry["message"] for part in self.allowed)]
        self.assertEqual(errors, [], "the browser's console has messages")

    def look(self, width, height, dark=False, phone=False):
        """Sets the size of the window and the colours that the system prefers."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce"}]
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        BROWSER.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})

    def open(self, fragment=None, **fields):
        """Opens the page with a state, and waits until it is shown."""
        if fields:
            fragment = urllib.parse.urlencode(fields)
        BROWSER.get("about:blank")  # otherwise an address that differs in its fragment alone would not be loaded
        BROWSER.get(ADDRESS + "/" + (f"#{fragment}" if fragment else ""))
        self.until(lambda: self.all(".drawing") or self.shown("#problem"), "nothing is shown")

    def until(self, condition, message="it did not happen"):
        """Waits for something, and for the answer to the last question that the page has asked."""
        def holds(_):
            return not self.all("#sentences[aria-busy]") and condition()
        return WebDriverWait(BROWSER, PATIENCE, poll_frequency=0.05).until(holds, message)

    def all(self, selector):
        return BROWSER.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return BROWSER.find_element(By.CSS_SELECTOR, selector)

    def shown(self, selector):
        return any(element.is_displayed() for element in self.all(selector))

    def text(self, selector):
        return self.one(selector).get_attribute("textContent")

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def script(self, code, *arguments):
        return BROWSER.execute_script(code, *arguments)

    def click(self, selector):
        self.one(selector).click()

    def click_word(self, number):
        self.click(f'[data-word="{number}"]')

    def right_click(self, selector):
        ActionChains(BROWSER).context_click(self.one(selector)).perform()

    def hover(self, selector):
        ActionChains(BROWSER).move_to_element(self.one(selector)).perform()

    def press(self, *keys):
        ActionChains(BROWSER).send_keys(*keys).perform()

    def press_with(self, modifier, key):
        ActionChains(BROWSER).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def type(self, text):
        """Types into the box in the place of what is there."""
        box = self.one("#input")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.DELETE)
        box.send_keys(text)

    def words(self, card=1):
        """The words of a sentence as they are drawn, without the root."""
        return self.texts(f".card:nth-child({card}) .word:not(.root) .form")

    def heads(self, card=1):
        """The heads of the tree that is drawn."""
        return self.script("""
            const heads = [];
            for (const arc of document.querySelectorAll(`.card:nth-child(${arguments[0]}) .arc.tree`)) {
              heads[Number(arc.dataset.dependent) - 1] = Number(arc.dataset.head);
            }
            return heads""", card)

    def numbers(self):
        """The probabilities of the words' heads, as the table has them."""
        return self.texts("table.words .measure .digits")

    def corrections(self):
        """What the page says was required and forbidden, as in its address."""
        fields = urllib.parse.parse_qs(urllib.parse.urlsplit(BROWSER.current_url).fragment)
        return {kind: fields[kind][0] for kind in ("require", "forbid") if kind in fields}

    def until_heads(self, expected, card=1):
        self.until(lambda: self.heads(card) == expected, f"the heads did not become {expected}")

    def parsed(self, text=TELESCOPE, **options):
        """The service's own answer for a text."""
        return json.loads(ask("/v1/parse", {"text": text, "probabilities": True, **options}))["sentences"]

    def parsed_heads(self, text=TELESCOPE, **options):
        return [word["head"] for word in self.parsed(text, **options)[0]["words"]]
