"""A page in the browser, by what a reader does there."""

import time
from functools import cached_property

from isingmap import IsingModel


class Page:
    """A page in the browser, by what a reader does there."""

    def __init__(self, browser, folder, width=1280, height=800):
        self.browser, self.folder = browser, folder
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get_log("browser")
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 0, "y": 0})  # off the map
        browser.get((folder / "report.html").as_uri())

    @cached_property
    def model(self):
        return IsingModel.load(self.folder / "model.json")

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def boxes(self, selector):
        """Left, top, right, bottom of the elements, on the screen."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect())"
            ".map((b) => [b.left, b.top, b.right, b.bottom])",
            selector,
        )

    def set(self, identity, value):
        self.run(
            "const e = document.getElementById(arguments[0]);"
            "e.value = arguments[1];"
            "e.dispatchEvent(new Event('input'))",
            identity,
            value,
        )

    @property
    def edges(self):
        """Numbers of the edges of the model that are shown."""
        shown = "#picture line[data-edge]:not(.out)"
        return sorted(
            self.run("return [...document.querySelectorAll(arguments[0])].map((e) => +e.dataset.edge)", shown)
        )

    @property
    def card(self):
        return self.run("const c = document.getElementById('card'); return c.hidden ? '' : c.innerText")

    def point_at(self, selector, click=False):
        """Move the mouse to the middle of an element, perhaps click."""
        from selenium.webdriver import ActionChains

        (left, top, right, bottom), *_ = self.boxes(selector)
        actions = ActionChains(self.browser)
        actions.w3c_actions.pointer_action.move_to_location(int((left + right) / 2), int((top + bottom) / 2))
        if click:
            actions.w3c_actions.pointer_action.click()
        actions.perform()

    def wheel(self, distance, ctrl=False):
        """Turn the wheel over the map."""
        (left, top, right, bottom), *_ = self.boxes("#picture")
        where = {"x": (left + right) / 2, "y": (top + bottom) / 2, "deltaX": 0, "deltaY": distance}
        event = {"type": "mouseWheel", "modifiers": 2 if ctrl else 0, **where}
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def press(self, *keys):
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def comes(self, condition):
        """Whether something becomes true, in time that the browser may take."""
        deadline = time.monotonic() + 20
        while not (found := condition()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def saved(self, name):
        """The bytes of a file that was saved, when it is there."""
        place = self.browser.downloads / name
        assert self.comes(place.exists)
        content = place.read_bytes()
        place.unlink()
        return content
