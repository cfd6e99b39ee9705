# Set-up shared by scripts/demo and scripts/test. POSIX sh, sourced; expects $root, the checkout.
# shellcheck shell=sh disable=SC2154

venv=$root/.venv
py=$venv/bin/python
began=$(date +%s)
# Hundreds of sessions are started: where nothing compiled is kept, each compiles all anew.
unset PYTHONDONTWRITEBYTECODE

say() { printf '\n[%4ds] %s\n' "$(($(date +%s) - began))" "$*"; }
note() { printf '        %s\n' "$*"; }
die() {
    printf '\n%s: %s\n' "${0##*/}" "$1" >&2
    [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2
    exit 4
}

have() { command -v "$1" >/dev/null 2>&1; }
is_root() { [ "$(id -u)" = 0 ]; }
can_apt() { is_root && have apt-get; }

# with_dots COMMAND...: a dot per line of its output; all of it only if the command fails.
with_dots() {
    dots_log=$(mktemp)
    printf '        '
    {
        "$@" 2>&1 </dev/null
        echo "status $?"
    } | while IFS= read -r dots_line; do
        printf '%s\n' "$dots_line" >>"$dots_log"
        printf .
    done
    echo
    dots_status=$(tail -n 1 "$dots_log")
    [ "$dots_status" = "status 0" ] || tail -n 20 "$dots_log" >&2
    rm -f "$dots_log"
    [ "$dots_status" = "status 0" ]
}

# apt_install PACKAGE...: one `apt-get update` at most.
apt_install() {
    note "apt-get install $*"
    if [ -z "${apt_updated:-}" ]; then
        # A stale or missing package list is the usual reason for a failing install.
        with_dots apt-get update || note "some package source failed; trying with what there is"
        apt_updated=yes
    fi
    DEBIAN_FRONTEND=noninteractive with_dots apt-get install -y --no-install-recommends "$@"
}

# apt_missing COMMAND=PACKAGE...: install the packages of the commands that are not there.
apt_missing() {
    apt_list=
    for apt_pair in "$@"; do
        have "${apt_pair%%=*}" || apt_list="$apt_list ${apt_pair#*=}"
    done
    [ -z "$apt_list" ] && return 0
    can_apt || return 1
    # shellcheck disable=SC2086
    apt_install $apt_list
}

usable_python() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for python in python3 python3.13 python3.12 python3.11; do
        have "$python" && usable_python "$python" && return 0
    done
    return 1
}

# with_index COMMAND...: a command that calls uv, which does not read pip's configuration; that says
# where packages come from here, and is nothing that tests should see.
with_index() {
    index=$("$py" -m pip config list | sed -n "s/^[^=]*[.]index-url='\(.*\)'\$/\1/p" | tail -n 1)
    env ${index:+"UV_DEFAULT_INDEX=$index"} "$@"
}

# install_project EXTRAS ARG...: by uv where it can be had, which takes a tenth of pip's time.
install_project() {
    extras=$1
    shift
    set -- "$@" --editable "${root}[$extras]"
    if [ "$extras" = dev ]; then
        # The track of the tests is a package of its own, as a third party's would be.
        set -- "$@" --editable "$root/tests/toy_track"
    fi
    if with_dots "$py" -m pip install --no-compile --disable-pip-version-check \
        --constraint "$root/scripts/constraints.txt" uv &&
        with_dots with_index "$venv/bin/uv" pip install --python "$py" "$@"; then
        return 0
    fi
    note "uv cannot install it here: taking pip"
    with_dots "$py" -m pip install --no-compile --progress-bar off \
        --disable-pip-version-check "$@"
}

# setup_venv EXTRAS: create .venv and install the project into it, once per pyproject.toml and
# constraints: the exact versions that were tested, so that next year's environment is this year's.
setup_venv() {
    setup_extras=$1
    say "Python environment: $venv"
    apt_missing git=git || die "git is missing." "Install git (Debian: apt-get install git)."
    if ! find_python; then
        can_apt && apt_install python3 python3-venv
        find_python || die "no Python >= 3.11 with venv and ensurepip." \
            "Install python3 (>= 3.11) and python3-venv."
    fi
    # The folder is part of the stamp: a virtual environment does not survive being moved.
    stamp=$({
        cat "$root/pyproject.toml" "$root/tests/toy_track/pyproject.toml" \
            "$root/scripts/constraints.txt"
        "$python" -V
        echo "$root"
    } | sha256sum | cut -d' ' -f1)
    # What developers need has all that anybody else does.
    if grep -qxE "($setup_extras|dev) $stamp" "$venv/.stamp" 2>/dev/null; then
        note "up to date"
        return 0
    fi
    # Creating one empties what is there: behind a link that is another checkout's.
    [ ! -L "$venv" ] || die "$venv is a link to another environment." \
        "Take the link away (rm $venv): an environment of this checkout's own is made then."
    note "creating it with $("$python" -V), installing the project ($setup_extras) ..."
    "$python" -m venv --clear "$venv" || die "cannot create $venv."
    # An index may lack one of the versions, or another Python need other ones.
    install_project "$setup_extras" --constraint "$root/scripts/constraints.txt" || {
        note "the versions that were tested cannot be had here: taking the newest that fit"
        install_project "$setup_extras"
    } || die "pip could not install the project." \
        "Check pip's index (pip config list) and, behind a private CA, SSL_CERT_FILE."
    echo "$setup_extras $stamp" >"$venv/.stamp"
}

# find_harbor_python: leaves in $harbor_python a Python that Harbor runs on; 1 where there is none.
find_harbor_python() {
    # Those of pyenv are found where it keeps them: its commands start the one version in use alone.
    for harbor_python in python3 python3.12 python3.13 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23].*/bin/python; do
        "$harbor_python" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' \
            >/dev/null 2>&1 && return 0
    done
    return 1
}

# setup_harbor: $harbor_py is the Python of an environment of its own that has Harbor, for which the
# project's own may be too old; 2 where no Python will do. After setup_venv, whose uv it takes.
setup_harbor() {
    find_harbor_python || return 2
    harbor_venv=$root/.venv-harbor
    harbor_py=$harbor_venv/bin/python
    harbor_stamp=$({
        cat "$root/pyproject.toml" "$root/tests/toy_track/pyproject.toml" \
            "$root/scripts/constraints.txt"
        "$harbor_python" -V
        echo "$root"
    } | sha256sum | cut -d' ' -f1)
    [ "$(cat "$harbor_venv/.stamp" 2>/dev/null)" = "$harbor_stamp" ] && return 0
    note "creating $harbor_venv with $("$harbor_python" -V) ..."
    "$venv/bin/uv" venv --quiet --clear --python "$harbor_python" "$harbor_venv" || return 1
    install_harbor --constraint "$root/scripts/constraints.txt" || {
        note "the versions that were tested cannot be had here: taking the newest that fit"
        install_harbor
    } || return 1
    echo "$harbor_stamp" >"$harbor_venv/.stamp"
}

# install_harbor ARG...: by uv alone. Harbor brings two hundred packages: pip takes minutes.
install_harbor() {
    # tests/conftest.py imports hypothesis.
    with_dots with_index "$venv/bin/uv" pip install --python "$harbor_py" "$@" \
        --editable "${root}[harbor]" --editable "$root/tests/toy_track" hypothesis
}

docker_answers() {
    "$py" -c 'import docker; docker.from_env(timeout=10).ping()' >/dev/null 2>&1
}

# Where a daemon that these scripts start keeps its log and pid.
dockerd_log=/var/log/benchmac-dockerd.log
dockerd_pid=/var/run/benchmac-dockerd.pid

# Start dockerd by hand: bare machines and containers have no service manager that would.
start_dockerd() {
    note "starting dockerd (log: $dockerd_log)"
    # A pid file of a killed daemon makes the next one refuse to start.
    if [ -f /var/run/docker.pid ] && ! kill -0 "$(cat /var/run/docker.pid)" 2>/dev/null; then
        rm -f /var/run/docker.pid
    fi
    setsid dockerd >"$dockerd_log" 2>&1 </dev/null &
    echo $! >"$dockerd_pid"
    waited=0
    while [ "$waited" -lt 60 ]; do
        docker_answers && return 0
        kill -0 "$(cat "$dockerd_pid")" 2>/dev/null || break
        sleep 1
        waited=$((waited + 1))
    done
    note "dockerd does not answer; its last words:"
    tail -n 5 "$dockerd_log" >&2
    kill "$(cat "$dockerd_pid")" 2>/dev/null
    rm -f "$dockerd_pid"
    return 1
}

setup_docker() {
    docker_answers && return 0
    can_apt || return 1
    note "no engine answers"
    apt_missing dockerd=docker.io || return 1
    # Where a service manager runs, the package has started the daemon already.
    sleep 2
    docker_answers || start_dockerd
}

setup_bubblewrap() {
    apt_missing bwrap=bubblewrap || return 1
    bwrap --unshare-all --ro-bind / / true 2>/dev/null
}

# npm says which package registry this machine uses; the local sandbox also installs with it.
setup_npm() {
    [ -n "${NPM_CONFIG_REGISTRY:-}" ] && [ "$1" != local ] && return 0
    apt_missing npm=npm || note "npm is missing: install it, or set NPM_CONFIG_REGISTRY"
}

# Bases are bootstrapped where no image registry answers.
setup_bootstrap() {
    apt_missing mmdebstrap=mmdebstrap ||
        note "mmdebstrap is missing: images must be pulled or exist already"
}

# requested_sandbox ARG...: what --sandbox among the arguments says, else auto.
requested_sandbox() {
    requested=auto
    while [ $# -gt 0 ]; do
        case $1 in
        --sandbox=*) requested=${1#--sandbox=} ;;
        --sandbox) requested=${2:-auto} ;;
        esac
        shift
    done
    echo "$requested"
}

# setup_sandbox NAME: leaves in $sandbox what can be used; 1 when the one asked for cannot.
setup_sandbox() {
    say "Sandbox: $1"
    case $1 in
    docker) setup_docker && sandbox=docker ;;
    bubblewrap) setup_bubblewrap && sandbox=bubblewrap ;;
    local) sandbox=local ;;
    auto)
        if setup_docker; then
            sandbox=docker
        elif setup_bubblewrap; then
            sandbox=bubblewrap
        else
            sandbox=local
        fi
        ;;
    *) die "unknown sandbox $1." "Use auto, docker, bubblewrap or local." ;;
    esac || return 1
    note "using $sandbox"
    setup_npm "$sandbox"
    if [ "$sandbox" = local ]; then
        cat <<'EOF'

    ****************************************************************************
    *  NO ISOLATION. Patches run as you, on this machine, with the host's own  *
    *  Node and npm. Judge only patches that you trust, and do not compare     *
    *  these results with those of a real sandbox.                             *
    ****************************************************************************

EOF
        return 0
    fi
    setup_bootstrap
}

tell_dockerd() {
    if [ -f "$dockerd_pid" ] && kill -0 "$(cat "$dockerd_pid")" 2>/dev/null; then
        note "dockerd was started by these scripts and keeps running: kill $(cat "$dockerd_pid")"
    fi
}

took() {
    seconds=$(($(date +%s) - began))
    printf 'wall time: %d min %02d s\n' $((seconds / 60)) $((seconds % 60))
}
