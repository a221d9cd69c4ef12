"""Redaction and suspicion, scored over the samples and against texts of our own."""

from __future__ import annotations

import base64
import json
import random
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.text import redact, secret_shapes
from tenure.text.suspicion import suspicious

SAMPLES = Path(__file__).parents[1] / "samples"
SECRETS = [json.loads(row) for row in (SAMPLES / "secrets.jsonl").read_text().splitlines()]
INJECTIONS = [json.loads(row) for row in (SAMPLES / "injection.jsonl").read_text().splitlines()]

RANDOM = random.Random(20260401)
LETTERS = string.ascii_letters + string.digits


def drawn(length: int, alphabet: str = LETTERS) -> str:
    """Return a value no one ever issued."""
    return "".join(RANDOM.choice(alphabet) for _ in range(length))


def survives(value: str, text: str) -> bool:
    """Return whether a run of eight characters of the value is left, as the samples are scored."""
    return any(value[i : i + 8] in text for i in range(max(1, len(value) - 7)))


@pytest.mark.parametrize(("level", "bar"), [("must", 0.97), ("should", 0.70)])
def test_secrets_of_the_samples_are_redacted(level: str, bar: float) -> None:
    """GUARANTEES S8, development half."""
    rows = [r for r in SECRETS if r["label"] != "benign" and r["level"] == level]
    missed = []
    for row in rows:
        text = "".join(row["text_parts"])
        start, end = row["span"]
        if survives(text[start:end], redact.redact(text)[0]):
            missed.append(row["id"])
    assert len(missed) <= (1 - bar) * len(rows), missed


def test_benign_samples_are_stored_unchanged() -> None:
    """GUARANTEES S8: at most 2 % may change; none of these does."""
    texts = ["".join(r["text_parts"]) for r in SECRETS if r["label"] == "benign"]
    texts += [r["text"] for r in INJECTIONS if r["label"] == "benign"]
    assert [t for t in texts if redact.redact(t) != (t, [])] == []


@pytest.mark.parametrize(
    ("family", "before", "secret", "after"),
    [
        ("vcs", "clone with ", "glpat-" + drawn(20), " today"),
        ("ai", "", "sk-or-v1-" + drawn(64, "0123456789abcdef"), ""),
        ("packages", "pypi ", "pypi-AgEIcHlwaS5vcmc" + drawn(120), ""),
        ("chat", "bot ", "7123456789:AA" + drawn(33), ""),
        ("chat", "hook ", "https://discord.com/api/webhooks/112233445566778899/" + drawn(68), ""),
        ("cloud-azure", "AccountKey=", drawn(86) + "==", ";EndpointSuffix=core"),
        ("cloud-gcp", "maps ", "AIza" + drawn(35), ""),
        ("infra", "", "tskey-auth-" + drawn(16) + "-" + drawn(32), ""),
        ("mfa", "2FA secret: ", "MFRG GZDF MZTW Q2LK", ""),
        (
            "wallet",
            "seed phrase: ",
            "legal winner thank year wave sausage worth useful legal winner thank yellow",
            "",
        ),
        ("password", "Server=db;Password=", "Zx81!kkQ2", ";Encrypt=true"),
        ("password", "the wifi password is ", "Blue42Sky!x", ", ask Kim"),
        ("password", "sshpass -p ", drawn(12), " ssh host"),
        ("password", "machine api.example.org login bob password ", drawn(14), ""),
        ("password", "<password>", "a8F!kd02x", "</password>"),
        ("url-credential", "redis://:", drawn(18), "@cache:6379/0"),
        ("auth-header", "Cookie: a=b; sessionid=", drawn(32), "; path=/"),
        ("token", "JWT_SECRET: '", drawn(44), "'"),
        ("token", "https://x.example/?api_key=", drawn(32), "&y=2"),
        (
            "private-key",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n",
            drawn(70) + "\n" + drawn(70),
            "\nrest: of the text",
        ),
        ("ai", "login ", "wandb_v1_" + drawn(40), ""),
        ("cloud-gcp", "gemini ", "AQ.Ab8RN6" + drawn(44), " ok"),
        ("vcs", "bitbucket ", "BBDC-" + drawn(44), ""),
        ("ai", "modal ", "as-" + drawn(22), ""),
        ("ai", "browser ", "bb_live_" + drawn(27), ""),
        ("chat", "sms with AC" + drawn(32, "0123456789abcdef") + ":", drawn(32, "0123456789abcdef"), " https://x"),
        ("infra", "vault login ", "s." + drawn(24), ""),
        ("auth-header", 'Authorization: Digest username="a", response="', drawn(32, "0123456789abcdef"), '"'),
        ("cloud-aws", "AWS4-HMAC-SHA256 Credential=x, Signature=", drawn(64, "0123456789abcdef"), ""),
        ("auth-header", "curl -s -b 'sid=", drawn(32), "' https://x.example"),
        ("password", "keytool -list -storepass ", drawn(14), " -alias a"),
        ("password", "ssh-keygen -t ed25519 -N ", drawn(14), " -f key"),
        ("password", "smbclient //h/s -U bob%", drawn(14), ""),
        ("password", "ansible --vault-pass ", drawn(14), ""),
        ("password", "security add-generic-password -a b -w ", drawn(14), ""),
        ("password", "gh secret set TOKEN_X --body ", drawn(24), ""),
        ("password", "fly secrets set FOO=", drawn(24), ""),
        ("password", "echo ", drawn(14), " | docker login --password-stdin"),
        ("password", "echo '", drawn(14), "' | sudo -S ls"),
        ("token", '<add key="ApiKey" value="', drawn(30), '"/>'),
        ("password", "sudo -S ls <<< '", drawn(14), "' && echo done"),
        ("password", "docker login -u me --password-stdin <<<", drawn(14), " && echo done"),
        ("password", "gh auth login --with-token <<EOF\n", drawn(30), "\nEOF && true"),
        ("password", "anything at-all <<< ", "V0b3jR" + drawn(10), " && true"),
        ("password", "echo 'bob:", drawn(14), "' | sudo chpasswd"),
        ("password", "openssl enc -aes-256-cbc -k ", drawn(14), " -in file"),
        ("password", "wpa_passphrase Home ", drawn(14), " > conf"),
        ("password", "plink -ssh bob@h -pw ", drawn(14), " uptime"),
        ("password", "secretsdump.py corp/bob:", drawn(14), "@10.0.0.1"),
        ("password", "twine upload -u bob -p ", drawn(14), " dist/*"),
        ("password", "security import c.p12 -P ", drawn(14), " -A keychain"),
        ("password", "ConvertTo-SecureString '", drawn(14), "' -AsPlainText"),
        ("password", "net user bob ", "V0b3jR" + drawn(8), " /add /y"),
        ("password", "useradd -p ", drawn(14), " robert"),
        ("token", "vercel -t ", drawn(24), " deploy"),
        ("token", "cargo login ", drawn(32), " && true"),
        ("token", "aws secretsmanager create-secret --secret-string ", drawn(20), " --name x"),
        ("token", "aws ssm put-parameter --type SecureString --value ", drawn(20), " --name x"),
        ("token", "az keyvault secret set --name x --value ", drawn(20), " --output none"),
        ("token", "pulumi config set --secret key ", drawn(20), " --stack dev"),
        ("token", "netlify deploy --auth ", drawn(30), " --prod"),
        ("token", "dotnet nuget push a.nupkg -k ", drawn(30), " -s feed"),
        ("token", "mc alias set s3 http://h:9000 bob ", drawn(20), " --api S3v4"),
        ("token", "https://maps.example/v1?key=", drawn(32), "&q=berlin"),
        ("token", "::add-mask::", drawn(30), "\nsteps"),
        ("token", "- name: DB_PASSWORD\n  value: ", drawn(16), "\n- name: A"),
        ("token", '{"name":"STRIPE_SECRET","value":"', drawn(24), '"} and so on'),
        ("token", "<key>apiToken</key>\n<string>", drawn(24), "</string>"),
        ("token", 'variable "db_password" {\n  type = string\n  default = "', drawn(16), '"\n}\nmore'),
        ("password", "server.login('me@x.org', '", "Zx81!kkQ2a", "') # mail"),
        ("password", "requests.get(url, auth=('bob', '", "Zx81!kkQ2a", "'), timeout=3)"),
        ("infra", "openshift ", "sha256~" + drawn(43), " ok then"),
        ("infra", "vault ", "hvp." + drawn(90), ""),
        ("payments", "shop ", "shpua_" + drawn(32, "0123456789abcdef"), ""),
        ("token", "a vendor nobody listed: ", "zq7_" + drawn(40), " ok then"),
        ("token", "another one: ", "corp-live-" + drawn(32), " ok then"),
        ("pii", "iban ", "DE42 3704 0044 0532 0135 55", ""),
        ("auth-header", "curl -u admin:", "swordfish", " https://x.org"),
        ("auth-header", "http -a admin:", "swordfish", " GET x.org/all"),
        ("auth-header", "https --auth bob:", "Sw0rdf1sh!x", " x.org/all"),
        ("password", "Das Passwort lautet ", "Sommer2024!", " seit heute"),
        ("password", "la password è ", "Estate2024!", " da oggi"),
        ("password", "het wachtwoord: ", "Zomer2024!", " sinds nu"),
        ("password", "hasło: ", "Lato2024!x", " od dzisiaj"),
        ("token", "config/master.key: ", "5f2b9c8e1a7d4e6f9b3c2d1a8e7f6b5c", " in Rails"),
        ("token", "FERNET = '", "3J8kd9aLq2mZx7vB1nP4sT6wY0eR5uI8oK2jH4gF6dA=", "' in settings"),
        ("token", "Fernet(b'", "3J8kd9aLq2mZx7vB1nP4sT6wY0eR5uI8oK2jH4gF6dA=", "') encrypts"),
        ("vcs", "zero width gh\u200b", "p_" + drawn(20) + "\u200b" + drawn(16), ""),
        ("vcs", "full width ｇｈｐ_", drawn(36), ""),
        ("vcs", 'x = "', "ghp_" + drawn(18) + '" + "' + drawn(18), '"'),
    ],
)
def test_other_secrets_of_the_same_families(family: str, before: str, secret: str, after: str) -> None:
    """Kinds the samples do not show, because the held-out half does."""
    redacted, families = redact.redact(before + secret + after)
    assert not survives(secret, redacted)
    assert family in families
    assert redacted.endswith(after[-6:])


MANIFEST = """\
apiVersion: v1
kind: Secret
metadata:
  name: db-credentials-2
type: Opaque
data:
  username: Ym9ieXRoZWFkbWlu
  db.conf: {encoded}
  tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=
---
apiVersion: v1
kind: ConfigMap
data:
  picture: {harmless}
"""


def encoded(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def test_the_values_of_a_kubernetes_secret_are_redacted_and_nothing_beside_them() -> None:
    """Issue 13, known open: base64 under a name of its own told nobody that it is a secret."""
    value, harmless = encoded("V0b3jR%aWr4Y"), encoded("just a picture of nothing at all")
    text = MANIFEST.format(encoded=value, harmless=harmless)
    assert redact.redact(text)[0] == text.replace(value, "[redacted:token]")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kind: Secret\nstringData:\n  cfg: ", "\n"),
        ('{"kind":"Secret","stringData":{"user":"bob","foo":"', '"}}'),
        ("kind: Secret\nstringData:\n  app.conf: |-\n    ", "\n  other: x\n"),
        ("> kind: Secret\n> stringData:\n>   cfg: '", "'\n"),
        ("kubectl create secret generic db --from-literal=a=b --from-literal=foo=", " -n prod"),
        ("kubectl create secret generic db \\\n  --from-literal=host=db1 \\\n  --from-literal foo=", "\n"),
        ("vault kv put secret/db value=", " ttl=1h"),
        ("doppler secrets set FOO=", " --plain"),
    ],
)
def test_a_place_that_stores_secrets_makes_its_values_secrets(before: str, after: str) -> None:
    value = drawn(24)
    assert redact.redact(before + value + after)[0] == f"{before}[redacted:token]{after}"


def test_base64_in_the_data_of_a_secret_is_redacted_as_json_too() -> None:
    value = encoded("V0b3jR%aWr4Y")
    for text in (
        '{"kind": "Secret", "data": {"foo": "VALUE"}}',
        """kubectl patch secret db -p '{"data":{"x":"VALUE"}}'""",
    ):
        assert redact.redact(text.replace("VALUE", value))[0] == text.replace("VALUE", "[redacted:token]")


@pytest.mark.parametrize(
    "text",
    [
        "password: str",
        "kind: Secret\nstringData:\n  # NOTE: this value must be base64 encoded 2 times\n  api-key: my-api-key\n",
        "kind: Secret\ndata:\n  username: YWRtaW4=\n  config: base64 encoded\n",
        'kind: Secret\nstringData:\n  url: redis://cache-1:6379\n  sa.json: |\n    "auth_uri": "https://x.y/o/oauth2/auth",\n',
        "kubectl create secret generic db --from-literal=host=host/data/app1/host001 --from-file=k=./k8s/key1.pem",
        "kind: SecretStore\ndata:\n  picture: anVzdCBhIHBpY3R1cmUgb2Ygbm90aGluZw==\n",
        "vault write auth/jwt/role/x policies=external-secrets-operator2",
        "bc <<< '2+2*16'; jq .a <<< '{\"b\":1}'; read -r a b <<< \"$line\"; cat <<< hello",
        "<<<<<<< HEAD1234\nkernel<<<numBlocks256, threadsPerBlock32>>>(x);",
        "echo done | sudo -S ls; cat <<EOF\nsome-text2go\nEOF",
        'integrity="sha512-' + 80 * "aB3" + '"',
        "pk_live_" + "dowLGqL3CaxG67pAX30IyTjtdowLGqL3CaxG67",
        "assets/index-dowLGqL3.js and chunk-" + "vendors_node_modules_lodash_lodash_js_1234",
        "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}\n- name: API_TOKEN\n  valueFrom:\n    secretKeyRef: x",
        'variable "db_password" {\n  type = string\n}\nvariable "a" {\n  default = "m5.large-2x"\n}',
        "client.connect(host, 22, 'root', timeout=10); smtp.login('user', 'password')",
        '"max_tokens": 128000',
        "secretName: my-app-secret-2",
        "tokenizer: gpt-4o-2024-08-06",
        'token = response.json()["access_token"]',
        "let apiKey = config.apiKeys[0];",
        "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
        "password: $2b$12$KIXQ0yqK6S0kqz1Vx3yQOeZ1Y8Q6rHq3p0s8Jp5kq2d1vQG9w9u5e",
        "Idempotency-Key: 7e4e2d2b-6b16-44ee-a07f-c5d433bece82",
        "AKIAIOSFODNN7EXAMPLE is the documentation key",
        "postgres://postgres:postgres@localhost:5432/test",
        "docker run -p 8080:80 -u 1000:1000 nginx",
        "The secret is to run tests in parallel with -n8.",
        "max(measurements, key=itemgetter(0)).minimum",
        "| Error shows while user is typing in a field | **Bug**: the form tracks focus |",
        "order 4111-2222-3333-4445 fails the check digit",
        "pay with the test card 4111 1111 1111 1111 or 4242424242424242",
        "the example IBAN is DE89 3704 0044 0532 0130 00",
        "curl -u user:password https://x.org",
        "curl -u $USER:$PASS https://x.org",
        "das Passwort lautet anders als gedacht",
        "http -a user:password x.org",
    ],
)
def test_talk_about_secrets_is_left_alone(text: str) -> None:
    assert redact.redact(text) == (text, [])


@pytest.mark.parametrize("prefix", ["ghp_", "gho_", "glpat-", "github_pat_", "sk-ant-"])
def test_a_token_that_counts_up_is_one_after_a_vendors_own_prefix(prefix: str) -> None:
    """A stranger's finding: an alphabetical token of the right length was stored as it is."""
    token = prefix + string.ascii_lowercase + string.digits
    redacted, families = redact.redact(f"clone with {token} today")
    assert (redacted, families) == (f"clone with [redacted:{families[0]}] today", families)


@pytest.mark.parametrize(
    "token",
    ["ghp_abcdefgh", "ghp_" + 36 * "x", "ghp_your_token_0123456789abcdefghijklmnop", "sk-" + "1234567890" * 4],
)
def test_what_shows_where_a_token_goes_is_left_alone(token: str) -> None:
    """Our choice: too short, one letter, said to be yours, or after a prefix that everybody makes values up for."""
    assert redact.redact(f"set {token} here") == (f"set {token} here", [])


def test_the_families_found_are_listed_once_in_order() -> None:
    token = "ghp_" + drawn(36)
    redacted, families = redact.redact(f"{token} then password='x9!Lq02vv' then {token}")
    assert redacted == "[redacted:vcs] then password='[redacted:password]' then [redacted:vcs]"
    assert families == ["vcs", "password"]


@pytest.mark.parametrize("row", SECRETS, ids=lambda r: r["id"])
def test_redacting_twice_changes_nothing_more(row: dict[str, list[str]]) -> None:
    once, _ = redact.redact("".join(row["text_parts"]))
    assert redact.redact(once) == (once, [])


def test_values_are_walked_and_keys_announce_what_they_hold() -> None:
    token, password = "ghp_" + drawn(36), "TWM4t6SlwPYKZE"
    record = {"password": password, token: [1, None, {"note": f"use {token}"}], "n": 1.5, "title": "plain"}
    assert redact.redact_value(record) == {
        "password": "[redacted:password]",
        "[redacted:vcs]": [1, None, {"note": "use [redacted:vcs]"}],
        "n": 1.5,
        "title": "plain",
    }


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_is_redacted_without_raising(text: str) -> None:
    redacted, families = redact.redact(text)
    assert bool(families) == (redacted != text)


def test_every_row_of_the_tables_names_its_family_and_compiles() -> None:
    for token in secret_shapes.tokens():
        assert redact._compiled(token.rest)
        assert len(token.word) >= 2
    for pattern in secret_shapes.PATTERNS:
        assert redact._compiled(pattern.pattern).groups <= 1
        assert pattern.check in redact.JUDGES


HOSTILE = [
    "password ",
    "password=",
    "password: a",
    "token is ",
    "ghp_",
    "sk-",
    "eyJ",
    "eyJa.eyJ",
    "://a:",
    "://a:b",
    "curl -u a:",
    "curl ",
    "http -a a:",
    "http ",
    "fernet ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "Cookie: a=b; ",
    "recovery codes: a1b2 ",
    "mnemonic: abc abc ",
    "otpauth://a?",
    "machine a login b password ",
    "4111 ",
    "DE89 3704 ",
    "A",
    "a1",
    "%41",
    "\u200b",
    "login a / ",
    "mysql -p",
    "digest response=",
    "AWS4-HMAC-SHA256 ",
    "curl -b a=",
    "gh secret set ",
    "fly secrets set ",
    "echo a --password-stdin ",
    "security add-a -w ",
    'key="token" value="',
    "bearer a",
    "private key ",
    "<",
    "private-lines: 1 a\n",
    "authorization: ",
    "pin:",
    "AAAA",
    "ghp_abcdefgh\n",
    "'",
    '"',
    "kind: Secret\n",
    "kind: Secret\ndata:\n  a: ",
    "kind: Secret\ndata:\n a: b\n",
    '"kind":"Secret","data":{',
    "patch secret ",
    "vault kv put ",
    "kubectl create secret generic a=b ",
    "a <<< ",
    "sudo -S <<< ",
    "sudo -S <<E\n",
    "name: token value: ",
    "<key>token</key><string>",
    'variable "token" {',
    ".login('a', ",
    ".connect(a, ",
    "a_b_",
    "ab-" + "aB3" * 12,
    "a" * 40 + "_",
]


def growth(work: object, unit: str, size: int = 24_000) -> float:
    """Return how much longer twice the text takes, the calmest of a few measurements."""
    single = unit * (size // len(unit))
    ratios = []
    for _ in range(4):
        times = []
        for text in (single, single + single):
            start = time.process_time()
            work(text)  # type: ignore[operator]
            times.append(time.process_time() - start)
        ratios.append(times[1] / max(times[0], 1e-3))
        if ratios[-1] <= 2.6:
            break
    return min(ratios)


@pytest.mark.parametrize("unit", HOSTILE)
def test_twice_the_text_takes_about_twice_the_time(unit: str) -> None:
    """GUARANTEES S17: linear patterns; a quadratic one shows about 4."""
    assert growth(redact.redact, unit) <= 3.2


@pytest.mark.parametrize(
    "unit",
    ["ignore all ", "ignore ", "curl ", "curl |", "$(cat ", "![a](http://", "a b c d ", "'", "this memory "],
)
def test_suspicion_is_linear_too(unit: str) -> None:
    assert growth(suspicious, unit) <= 3.2


def test_most_attacks_are_flagged() -> None:
    """The `flag` rows that must be seen; advice only, so the bar is 80 %."""
    rows = [r for r in INJECTIONS if "flag" in r["expect"] and r["level"] == "must"]
    missed = [r["id"] for r in rows if not suspicious(r["text"])]
    assert len(missed) <= 0.2 * len(rows), missed


def test_ordinary_notes_are_not_flagged() -> None:
    """The `pass` rows, imperatives and talk about attacks among them."""
    assert [r["id"] for r in INJECTIONS if "pass" in r["expect"] and suspicious(r["text"])] == []
