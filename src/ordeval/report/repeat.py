"""How to repeat a result: the call in Python and the command."""

from ..options import Call


def page_calls(call: Call) -> tuple[str, str]:
    """Return the command and the Python that make a page again."""
    command = f"{call.command()} \\\n  --html=report.html"
    return command, f'import ordeval as oe\n\n{call.python()}.to_html("report.html")'
