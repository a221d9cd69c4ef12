"""What of a command line a journal may keep: outcomes stay readable, and no value of any kind gets in.

The shapes are made up for this test, as people and agents type them; the secret of each is marked by braces.
"""

from __future__ import annotations

import json
import re

import pytest

from tenure.text.command_line import kept_words, outcome, proves
from tests.program import Program

SECRETS = [
    "login --token {tk_3f9a77b1c2}",
    "vault login {hvs.CAESIJ9x}",
    "vault login -method=userpass username=me password={winterfell}",
    "vault kv put secret/app key={s3cr3t}",
    "mysql -u root -p{hunter2} shop",
    "mysql -u root -p {hunter2} shop",
    "mysqldump --password={letmein} shop",
    "psql postgres://app:{p4ssw0rd}@db.internal/shop",
    "psql 'host=db password={opensesame}'",
    "PGPASSWORD={moonlight} psql -h db",
    "export GITHUB_TOKEN={ghx_notashape}",
    "env API_KEY={abcdef123} make test",
    "API_KEY='{two words}' make test",
    "set -x STRIPE_KEY {rk_blue_7}",
    "curl -u admin:{swordfish} https://ci.example.org",
    "curl -H 'Authorization: Bearer {eyJabc}' https://api.example.org",
    "curl -H 'X-Api-Key: {k-99123}' https://api.example.org",
    "curl --header \"Cookie: session={deadc0de}\" https://api.example.org",
    "curl https://user:{pa55}@api.example.org/v1",
    "curl 'https://api.example.org/v1?access_token={tok_1}'",
    "curl -d 'password={tulip}' https://api.example.org/login",
    "curl --data-raw '{\"pin\": \"{4711}\"}' https://api.example.org",
    "wget --user=me --password={rosebud} https://files.example.org",
    "http --auth me:{rosebud} GET api.example.org",
    "git clone https://me:{ghp_x1}@github.com/me/app.git",
    "git remote add origin https://oauth2:{glpat_x2}@gitlab.example.org/a.git",
    "git -c http.extraHeader='AUTHORIZATION: basic {bWU6eA}' fetch",
    "git config user.password {foxglove}",
    "docker login -u me -p {larkspur} registry.example.org",
    "docker run -e DB_PASS={larkspur} app",
    "docker build --build-arg NPM_TOKEN={npm_z} .",
    "echo {larkspur} | docker login --password-stdin",
    "kubectl create secret generic db --from-literal=password={larkspur}",
    "kubectl config set-credentials me --token={eyJh}",
    "helm install app . --set auth.password={larkspur}",
    "aws configure set aws_secret_access_key {wJalrXUt}",
    "aws sts get-session-token --serial-number x --token-code {123456}",
    "gcloud auth activate-service-account --key-file={key-77.p12}",
    "az login -u me -p {Sommer2024}",
    "az login --service-principal -u id -p {Sommer2024} --tenant t",
    "heroku config:set SECRET_KEY_BASE={9f9f9f}",
    "heroku auth:token {aaaa-bbbb}",
    "npm config set //registry.npmjs.org/:_authToken {npm_abc}",
    "npm publish --otp {998877}",
    "NODE_AUTH_TOKEN={npm_abc} npm run build",
    "twine upload -u __token__ -p {pypi-AgEI} dist/app.whl",
    "poetry config pypi-token.pypi {pypi-AgEI}",
    "pip install --index-url https://me:{rosebud}@pypi.example.org/simple app",
    "ssh-keygen -t ed25519 -N {marigold} -f key",
    "sshpass -p {marigold} ssh me@host",
    "sudo -S <<< {marigold} make install",
    "openssl enc -aes-256-cbc -k {marigold} -in a -out b",
    "openssl rsa -passin pass:{marigold} -in key.pem",
    "gpg --batch --passphrase {marigold} -d file.gpg",
    "htpasswd -b .htpasswd me {marigold}",
    "redis-cli -a {marigold} ping",
    "redis-cli AUTH {marigold}",
    "mongosh 'mongodb://me:{marigold}@db/shop'",
    "ansible-playbook site.yml --extra-vars 'become_pass={marigold}'",
    "terraform apply -var db_password={marigold}",
    "TF_VAR_token={marigold} terraform plan",
    "ldapsearch -D cn=admin -w {marigold} -b dc=x",
    "smbclient //host/share -U 'me%{marigold}'",
    "net use x: \\\\\\\\host\\\\share {marigold}",
    "rabbitmqctl add_user me {marigold}",
    "jupyter notebook --NotebookApp.token={marigold}",
    "python manage.py shell -c \"u.set_password('{marigold}')\"",
    "python -m app --api-key {marigold} test",
    "make test TOKEN={marigold}",
    "make deploy password:={marigold}",
    "pytest --db-password {marigold} tests/test_login.py",
    "pytest -p {marigold} tests",
    "go test -args -secret {marigold}",
    "cargo test -- --key {marigold}",
    "gradle build -Ppassword={marigold}",
    "mvn -Dpassword={marigold} verify",
    "npm test -- --token {marigold}",
    "tox -e py311 -- --pw {marigold}",
    "cat <<EOF > .env\nTOKEN={marigold}\nEOF\nmake test",
    "printf '%s' {marigold} > token.txt && make test",
    "echo {marigold}>pw; make build",
    "read -s PW <<< {marigold}; make check",
    "op signin my {A3-XYZ123-ABC}",
    "bw unlock {marigold}",
    "pass insert -e mail <<< {marigold}",
    "keyring set service me {marigold}",
    "security add-generic-password -a me -s svc -w {marigold}",
    "secret-tool store --label=x user me {marigold}",
    "wp user create me me@example.org --user_pass={marigold}",
    "snowsql -a acc -u me --private-key-passphrase {marigold}",
    "sqlcmd -S host -U sa -P {marigold}",
    "dbt run --vars '{pw: {marigold}}'",
    "flyctl secrets set KEY={marigold}",
    "gh auth login --with-token <<< {marigold}",
    "gh secret set KEY --body {marigold}",
    "hub api -H 'Authorization: token {marigold}'",
    "travis encrypt {marigold}",
    "circleci setup --token {marigold}",
    "sentry-cli --auth-token {marigold} releases list",
    "sonar-scanner -Dsonar.login={marigold}",
    "bash -c 'TOKEN={marigold} make test'",
    "sh -c \"mysql -p{marigold}\"",
    "./deploy.sh {marigold}",
    "check {marigold}",
    "test {marigold} = x",
    "git commit -m 'x; {marigold} test y'",
    "cat <<EOF\n{marigold} test\nEOF\nmake test",
    "cat <<EOF\n{marigold} test\n",
    "echo 'unclosed; {marigold} test",
]  # fmt: skip
_MARKED = re.compile(r"\{([^{}\"]+)\}")


def plain(command: str) -> tuple[str, list[str]]:
    return _MARKED.sub(r"\1", command), _MARKED.findall(command)


@pytest.mark.parametrize("command", SECRETS)
def test_no_value_of_a_command_is_kept(command: str) -> None:
    """Issue 13: 23 of 55 unseen secrets reached the journal, most of them after a flag whose name was dropped."""
    typed, secrets = plain(command)
    kept = kept_words(typed)
    assert secrets
    for secret in secrets:
        for word in secret.split():
            assert word not in kept, kept


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("make test", "make test"),
        ("cd app && make test", "make test"),
        ("CI=1 make lint", "make lint"),
        ("sudo -E make test", "make test"),
        ("timeout 60 pytest -q tests/test_login.py", "pytest tests/test_login.py"),
        ("pytest tests/unit -x", "pytest tests/unit"),
        ("pytest tests/test_a.py::test_b", "pytest tests/test_a.py::test_b"),
        ("python -m pytest tests/test_login.py", "pytest tests/test_login.py"),
        ("python3.11 -m pytest", "pytest"),
        (".venv/bin/pytest", "pytest"),
        ("npm run test:unit", "npm run test:unit"),
        ("npx jest src/login.test.ts", "jest src/login.test.ts"),
        ("go test ./...", "go test ./..."),
        ("cargo build --release", "cargo build"),
        ("docker compose run web make check", "docker compose run make"),
        ("cat > a <<EOF\nx\nEOF\nmake test", "make test"),
        ("git status", "git"),
        ("ls | grep x", "ls"),
        ("", ""),
        ("'quoted program' x", ""),
    ],
)
def test_what_was_tested_or_built_stays_readable(command: str, kept: str) -> None:
    """Our choice: an outcome is told in words, such as "make test failed, then passed"."""
    assert kept_words(command) == kept


def test_a_module_that_is_run_counts_as_the_program() -> None:
    """`python -m pytest` is the most common way to test there is; the word after -m is a name, not a value."""
    assert proves(kept_words("python -m pytest -q")) and "pytest" in kept_words("python -m pytest -q")


@pytest.mark.parametrize(
    ("command", "is_proof"),
    [
        ("git add main.go", False),
        ("cat tests/test_login.py", False),
        ("ls build", False),
        ("vim Makefile.build", False),
        ("cd x && pytest", True),
        ("go test ./...", True),
        ("python tests/test_login.py", True),
        ("bash scripts/build.sh", True),
    ],
)
def test_what_proves_something_runs_it(command: str, is_proof: bool) -> None:
    """Issue 16: test results are read through `cd x && pytest` and not from `git add main.go`."""
    assert proves(kept_words(command)) is is_proof


@pytest.mark.parametrize(
    ("command", "ok", "output", "passed"),
    [
        ("pytest -q", True, "1 failed", True),
        ("pytest -q | tail -3", True, "== 2 failed, 3 passed in 1s ==", False),
        ("cd x && pytest 2>&1 | tail -3", True, "== 3 passed in 1s ==", True),
        ("pytest | head -1", True, "collecting", None),
        ("pytest || true", True, "FAILED tests/test_a.py::test_b", False),
        ("npm test; echo done", True, "Tests: 4 passed, 4 total\ndone", True),
        ("go test ./... | tail", True, "--- FAIL: TestLogin\nFAIL", False),
        ("go test ./... | tail", True, "ok  \texample/login\t0.1s", True),
        ("cargo test 2>&1 | tail -5", True, "test result: ok. 3 passed; 0 failed", True),
        ("set -o pipefail; pytest | tail", True, "0 failed", True),
        ("pytest && git push", True, "1 failed", True),
        ("pytest | tail", False, "3 passed", False),
        ("cat a | grep x", True, "2 failed", True),
        ("git log | grep 'make test'", True, "1 failed", True),
    ],
)
def test_a_result_is_read_through_a_pipe(command: str, ok: bool, output: str, passed: bool | None) -> None:
    """Issue 16: 44 % of the tests agents run lose their status in a pipe; what was printed tells, or nobody knows."""
    assert outcome(command, ok, output) is passed


def test_the_journal_holds_no_value(program: Program) -> None:
    """The same through the hook, looked for in every byte of the user's folder."""
    for command in SECRETS[:8] + SECRETS[-12:]:
        typed, _ = plain(command)
        event = {"session_id": "s", "cwd": str(program.folder), "tool_name": "Bash", "tool_input": {"command": typed}}
        program("hook", "post-tool", stdin=json.dumps(event).encode(), CLAUDECODE="1", TENURE_HOOK_SECONDS="60")
    owned = b"".join(program.owned().values())
    assert b"command" in owned
    for command in SECRETS[:8] + SECRETS[-12:]:
        for secret in plain(command)[1]:
            assert secret.encode() not in owned, command
