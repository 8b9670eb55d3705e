"""What is in an HTML file, for tests without a browser."""

from html.parser import HTMLParser


class Elements(HTMLParser):
    """(tag, attributes) of all elements, and the text in each kind of them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._open = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)

    def count(self, tag, attribute):
        return sum(tag == found and attribute in attributes for found, attributes in self.elements)
