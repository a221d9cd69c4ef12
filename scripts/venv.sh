# Sourced by the other scripts: makes .venv with the newest Python there is and installs the project into it.
venv_with() {
    if [ ! -x .venv/bin/python ]; then
        found=""
        for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
            if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
                found=$candidate
                break
            fi
        done
        if [ -z "$found" ]; then
            echo "Python 3.11 or newer, with venv, was not found on the PATH." >&2
            exit 1
        fi
        "$found" -m venv .venv
    fi
    # Installing again takes seconds, so skip it while neither the project file nor the request changed.
    wanted="$1 $(cat pyproject.toml requirements/dev.lock | cksum)"
    if [ "$(cat .venv/installed 2>/dev/null)" != "$wanted" ]; then
        echo "Installing into .venv ..." >&2
        if [ "$1" = ".[dev]" ]; then
            # Tests run with known files: a package whose bytes changed is refused.
            .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
                -r requirements/dev.lock
        fi
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -e "$1"
        printf '%s' "$wanted" > .venv/installed
    fi
}
