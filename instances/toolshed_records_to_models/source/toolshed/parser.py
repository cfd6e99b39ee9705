"""The command line's words."""

import argparse

from toolshed import __version__, catalog, reports, schema, storage, tables


def build():
    """The parser of the whole program."""
    parser = argparse.ArgumentParser(
        prog="toolshed", description="Keeps the books of a community tool library."
    )
    parser.add_argument("--version", action="version", version=f"toolshed {__version__}")
    parser.add_argument("--data", metavar="DIR", help="folder of the shed's files")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    init = commands.add_parser("init", help="start an empty shed")
    init.add_argument("--name", default="Toolshed")
    _tools(commands)
    _members(commands)
    _loans(commands)
    _holds(commands)
    _fees(commands)
    _repairs(commands)
    _views(commands)
    _files(commands)
    return parser


def _days(text):
    days = int(text)
    if not 1 <= days <= 90:
        raise argparse.ArgumentTypeError("1 to 90 days")
    return days


def _group(commands, name, help_text):
    group = commands.add_parser(name, help=help_text)
    return group.add_subparsers(dest="action", required=True, metavar="ACTION")


def _tools(commands):
    tool = _group(commands, "tool", "the catalogue")
    add = tool.add_parser("add")
    add.add_argument("name")
    add.add_argument("--category", required=True)
    add.add_argument("--value", required=True)
    add.add_argument("--days", type=_days)
    add.add_argument("--training", action="store_true")
    listing = tool.add_parser("list")
    listing.add_argument("--category")
    listing.add_argument("--status", choices=schema.TOOL_STATUSES)
    listing.add_argument("--sort", choices=catalog.SORTS, default="id")
    show = tool.add_parser("show")
    show.add_argument("id")
    edit = tool.add_parser("edit")
    edit.add_argument("id")
    edit.add_argument("--name")
    edit.add_argument("--category")
    edit.add_argument("--value")
    edit.add_argument("--days", type=_days)
    edit.add_argument("--training", action=argparse.BooleanOptionalAction)
    retire = tool.add_parser("retire")
    retire.add_argument("id")
    retire.add_argument("--yes", action="store_true")
    search = tool.add_parser("search")
    search.add_argument("words", nargs="+")
    search.add_argument("--all", action="store_true")


def _members(commands):
    member = _group(commands, "member", "the people who borrow")
    add = member.add_parser("add")
    add.add_argument("name")
    add.add_argument("--email", required=True)
    add.add_argument("--kind", choices=schema.MEMBER_KINDS, default="standard")
    add.add_argument("--trained", action="store_true")
    listing = member.add_parser("list")
    listing.add_argument("--current", action="store_true")
    show = member.add_parser("show")
    show.add_argument("id")
    renew = member.add_parser("renew")
    renew.add_argument("id")
    renew.add_argument("--years", type=int, default=1)
    close = member.add_parser("close")
    close.add_argument("id")


def _loans(commands):
    lend = commands.add_parser("lend", help="lend tools to a member")
    lend.add_argument("member")
    lend.add_argument("tools", nargs="+")
    lend.add_argument("--days", type=_days)
    back = commands.add_parser("return", help="take tools back")
    back.add_argument("tools", nargs="+")
    back.add_argument("--damaged", metavar="NOTE")
    back.add_argument("--charge", metavar="AMOUNT")
    extend = commands.add_parser("extend", help="lend for longer")
    extend.add_argument("tool")
    loans = commands.add_parser("loans", help="what is lent")
    loans.add_argument("--member")
    loans.add_argument("--overdue", action="store_true")
    loans.add_argument("--all", action="store_true")


def _holds(commands):
    hold = _group(commands, "hold", "queues for tools")
    add = hold.add_parser("add")
    add.add_argument("member")
    add.add_argument("tool")
    cancel = hold.add_parser("cancel")
    cancel.add_argument("id")
    listing = hold.add_parser("list")
    listing.add_argument("--all", action="store_true")


def _fees(commands):
    fee = _group(commands, "fee", "what members owe")
    listing = fee.add_parser("list")
    listing.add_argument("--member")
    listing.add_argument("--open", action="store_true")
    pay = fee.add_parser("pay")
    pay.add_argument("member")
    pay.add_argument("amount")
    waive = fee.add_parser("waive")
    waive.add_argument("id")
    waive.add_argument("--reason", required=True)


def _repairs(commands):
    repair = _group(commands, "repair", "the workbench")
    start = repair.add_parser("open")
    start.add_argument("tool")
    start.add_argument("note")
    close = repair.add_parser("close")
    close.add_argument("id")
    close.add_argument("--cost", default="0")
    listing = repair.add_parser("list")
    listing.add_argument("--all", action="store_true")


def _views(commands):
    report = commands.add_parser("report", help="the whole shed in a table")
    report.add_argument("kind", choices=reports.KINDS)
    report.add_argument("--format", choices=tables.FORMATS, default="text")
    report.add_argument("--since")
    report.add_argument("--until")
    notices = commands.add_parser("notices", help="letters to members")
    notices.add_argument("--write", action="store_true")
    notices.add_argument("--topic", choices=("overdue", "ready"))
    calendar = commands.add_parser("calendar", help="a month's open days")
    calendar.add_argument("month", nargs="?")
    journal = commands.add_parser("journal", help="what was changed")
    journal.add_argument("--last", type=int)
    journal.add_argument("--word")
    journal.add_argument("--user")
    check = commands.add_parser("check", help="whether the records agree")
    check.add_argument("--fix", action="store_true")


def _files(commands):
    load = commands.add_parser("import", help="add from CSV")
    load.add_argument("collection", choices=("tools", "members"))
    load.add_argument("file")
    load.add_argument("--dry-run", action="store_true")
    load.add_argument("--skip-bad", action="store_true")
    export = commands.add_parser("export", help="write CSV or JSON")
    export.add_argument("collection", choices=storage.COLLECTIONS)
    export.add_argument("--format", choices=("csv", "json"), default="csv")
    export.add_argument("--output")
    export.add_argument("--fields")
    export.add_argument("--force", action="store_true")
    backup = commands.add_parser("backup", help="the whole shed in one file")
    backup.add_argument("file")
    restore = commands.add_parser("restore", help="a backup's records again")
    restore.add_argument("file")
    restore.add_argument("--yes", action="store_true")
