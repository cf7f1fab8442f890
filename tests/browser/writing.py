"""The text of Define's editor: read as it stands, replaced as a hand does it, by a paste over all of it."""

PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.querySelector(".editor").shadowRoot.querySelector("#toml").dispatchEvent(event);
}"""


def text_of(page):
    """The whole text, also what is scrolled away."""
    return page.evaluate("document.querySelector('.editor').editor.text")


def put_text(page, text):
    """Paste over everything."""
    page.locator("#toml").focus()
    page.keyboard.press("Control+a")
    page.evaluate(PASTE, text)
