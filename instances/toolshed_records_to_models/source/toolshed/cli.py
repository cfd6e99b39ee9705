"""From words on the command line to what is done."""

import os
import sys

from toolshed import (
    backup,
    catalog,
    consistency,
    exporting,
    fees,
    holds,
    importing,
    journal,
    loans,
    members,
    notices,
    opening,
    parser,
    repairs,
    reports,
    search,
)
from toolshed.errors import ShedError

GROUPS = ("tool", "member", "hold", "fee", "repair")


def main(argv=None):
    """Run one command; returns the exit status."""
    args = parser.build().parse_args(argv)
    root = args.data or os.environ.get("TOOLSHED_DATA") or "shed"
    name = f"{args.command} {args.action}" if args.command in GROUPS else args.command
    try:
        return COMMANDS[name](root, args) or 0
    except ShedError as problem:
        print(f"toolshed: {problem}", file=sys.stderr)
        return problem.status
    except EOFError:
        print("\ntoolshed: no answer", file=sys.stderr)
        return 2


def _tool_add(root, args):
    catalog.add(root, args.name, args.category, args.value, args.days, args.training)


def _tool_list(root, args):
    catalog.show_list(root, args.category, args.status, args.sort)


def _tool_show(root, args):
    catalog.show(root, args.id)


def _tool_edit(root, args):
    catalog.edit(root, args.id, args.name, args.category, args.value, args.days, args.training)


def _tool_retire(root, args):
    catalog.retire(root, args.id, args.yes)


def _tool_search(root, args):
    search.show(root, args.words, args.all)


def _member_add(root, args):
    members.add(root, args.name, args.email, args.kind, args.trained)


def _member_list(root, args):
    members.show_list(root, args.current)


def _member_show(root, args):
    members.show(root, args.id)


def _member_renew(root, args):
    members.renew(root, args.id, args.years)


def _member_close(root, args):
    members.close(root, args.id)


def _lend(root, args):
    loans.lend(root, args.member, args.tools, args.days)


def _return(root, args):
    loans.give_back(root, args.tools, args.damaged, args.charge)


def _extend(root, args):
    loans.extend(root, args.tool)


def _loans(root, args):
    loans.show_list(root, args.member, args.overdue, args.all)


def _hold_add(root, args):
    holds.add(root, args.member, args.tool)


def _hold_cancel(root, args):
    holds.cancel(root, args.id)


def _hold_list(root, args):
    holds.show_list(root, args.all)


def _fee_list(root, args):
    fees.show_list(root, args.member, args.open)


def _fee_pay(root, args):
    fees.pay(root, args.member, args.amount)


def _fee_waive(root, args):
    fees.waive(root, args.id, args.reason)


def _repair_open(root, args):
    repairs.open_for(root, args.tool, args.note)


def _repair_close(root, args):
    repairs.close(root, args.id, args.cost)


def _repair_list(root, args):
    repairs.show_list(root, args.all)


def _report(root, args):
    reports.show(root, args.kind, args.format, args.since, args.until)


def _notices(root, args):
    notices.run(root, args.write, args.topic)


def _calendar(root, args):
    opening.print_month(root, args.month)


def _journal(root, args):
    journal.show(root, args.last, args.word, args.user)


def _check(root, args):
    return consistency.run(root, args.fix)


def _import(root, args):
    importing.run(root, args.collection, args.file, args.dry_run, args.skip_bad)


def _export(root, args):
    exporting.run(root, args.collection, args.format, args.output, args.fields, args.force)


def _backup(root, args):
    backup.make(root, args.file)


def _restore(root, args):
    backup.restore(root, args.file, args.yes)


def _init(root, args):
    backup.init(root, args.name)


COMMANDS = {
    "init": _init,
    "tool add": _tool_add,
    "tool list": _tool_list,
    "tool show": _tool_show,
    "tool edit": _tool_edit,
    "tool retire": _tool_retire,
    "tool search": _tool_search,
    "member add": _member_add,
    "member list": _member_list,
    "member show": _member_show,
    "member renew": _member_renew,
    "member close": _member_close,
    "lend": _lend,
    "return": _return,
    "extend": _extend,
    "loans": _loans,
    "hold add": _hold_add,
    "hold cancel": _hold_cancel,
    "hold list": _hold_list,
    "fee list": _fee_list,
    "fee pay": _fee_pay,
    "fee waive": _fee_waive,
    "repair open": _repair_open,
    "repair close": _repair_close,
    "repair list": _repair_list,
    "report": _report,
    "notices": _notices,
    "calendar": _calendar,
    "journal": _journal,
    "check": _check,
    "import": _import,
    "export": _export,
    "backup": _backup,
    "restore": _restore,
}
