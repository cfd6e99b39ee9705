"""npm's own variables."""

from __future__ import annotations

#: npm's own calls home, which are no part of an install.
QUIET_NPM = {
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
}
