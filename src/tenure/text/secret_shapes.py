"""The shapes of secrets, as data: what `redact` looks for.

`TOKENS` lists tokens that begin with a fixed word: family, the words, the pattern of the rest. The word is
searched as plain text and the pattern tried only where it stands. `PATTERNS` lists the rest: family, plain
words of which one must occur (with capitals: inside a long word; without: anywhere, whatever the case), and a
pattern whose group is the secret. All repetitions have an upper bound, which keeps the work linear.
"""

# ruff: noqa: E501 - a table reads better with one row per line
from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Token(NamedTuple):
    """A token that begins with a fixed word."""

    family: str
    word: str
    rest: str


class Pattern(NamedTuple):
    """A secret known by what stands around it; `check` names the judgement its value must pass."""

    family: str
    words: tuple[str, ...]
    pattern: str
    check: str = "stand-in"


TOKENS = r"""
ai             sk-ant-                                        [\w-]{20,255}
ai             sk-proj- sk-svcacct- sk-admin- sk-or- sk-None- sk-lf- sk-litellm-  [\w-]{20,255}
ai             sk-                                            [A-Za-z0-9]{32,128}
ai             sess-                                          [A-Za-z0-9]{32,64}
ai             gsk_                                           [A-Za-z0-9]{32,128}
ai             pplx-                                          [A-Za-z0-9]{32,128}
ai             r8_                                            [A-Za-z0-9]{32,64}
ai             hf_ api_org_                                   [A-Za-z0-9]{30,64}
ai             xai-                                           [A-Za-z0-9]{60,128}
ai             nvapi-                                         [\w-]{40,128}
ai             pcsk_                                          [A-Za-z0-9_]{40,128}
ai             lsv2_pt_ lsv2_sk_                              [0-9a-f]{32}_[0-9a-f]{10}
ai             tgp_v1_ fw_ csk- tvly- jina_ esecret_ fc- fal_ e2b_  [A-Za-z0-9_-]{20,128}
ai             pa-                                            [\w-]{40,64}
ai             wandb_v1_                                      [\w-]{20,128}
ai             bb_live_                                       [\w-]{20,64}
ai             ak- as-                                        [A-Za-z0-9]{22}(?![\w-])
vcs            BBDC-                                          [A-Za-z0-9+/=]{20,64}
cloud-gcp      AQ.Ab8RN6                                      [\w-]{30,128}
ai             BSA                                            [A-Za-z0-9]{27,30}
vcs            ghp_ gho_ ghu_ ghs_ ghr_                       [A-Za-z0-9]{30,255}
vcs            github_pat_                                    \w{22,255}
vcs            glpat- gldt- glrt- glptt- glft- glcbt- glsoat- glimt- glagent- gloas- glffct- glwt-  [\w.-]{20,255}
vcs            GR1348941                                      [\w-]{20}
vcs            ATBB                                           [A-Za-z0-9]{28,64}
vcs            ATATT3 ATCTT3 ATSTT3                           [\w=+/-]{40,255}
vcs            sgp_                                           [A-Za-z0-9_]{40,80}
vcs            gitea_ gto_                                    [a-z0-9]{32,64}
cloud-aws      AKIA ASIA ABIA ACCA                            [A-Z0-9]{16}
cloud-aws      ABSK                                           [A-Za-z0-9+/]{60,255}={0,2}
cloud-aws      bedrock-api-key-                               [A-Za-z0-9+/=]{30,1024}
cloud-aws      IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz         [A-Za-z0-9+/]{60,2048}={0,2}
cloud-aws      amzn.mws.                                      [0-9a-f-]{36}
cloud-aws      amzn1.oa2-cs.v1.                               [0-9a-f]{64}
cloud-gcp      AIza                                           [\w-]{35}
cloud-gcp      GOCSPX-                                        [\w-]{24,40}
cloud-gcp      ya29.                                          [\w-]{20,2048}
cloud-gcp      1//0                                           [\w-]{30,255}
cloud-gcp      GOOG1                                          [A-Z0-9]{20,60}
cloud-alibaba  LTAI                                           [A-Za-z0-9]{12,26}
cloud-tencent  AKID                                           [A-Za-z0-9]{32}
infra          dop_v1_ doo_v1_ dor_v1_                        [0-9a-f]{40,64}
infra          pscale_pw_ pscale_tkn_ pscale_oauth_           [\w.=-]{30,64}
infra          dapi dkea dose                                 [0-9a-f]{32}(?:-\d)?
infra          hvs. hvb. hvr.                                 [\w-]{20,255}
infra          dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.  [\w.-]{32,128}
infra          pul-                                           [0-9a-f]{40}
infra          tskey-                                         [a-z]{3,10}-[\w-]{10,128}
infra          sbp_ sb_secret_                                \w{20,64}
infra          rnd_ nfp_ nfc_ nfo_ nfu_ vcp_ vck_ vci_ napi_  [A-Za-z0-9]{24,80}
infra          fm2_ fm1r_ fm1a_ fo1_                          [A-Za-z0-9+/_-]{30,1024}={0,2}
infra          HRKU-AA                                        [\w-]{40,80}
infra          cfut_ cfat_ cfk_                               [\w-]{32,80}
infra          v1.0-                                          [0-9a-f]{24}-[0-9a-f]{100,160}
infra          mdb_sa_sk_                                     [\w-]{30,64}
infra          ops_eyJ                                        [\w-]{100,2048}={0,2}
infra          bkua_ bkaj_ bkct_                              [0-9a-f]{40}
infra          CCIPAT_ CCIPRJ_                                [A-Za-z0-9_]{30,80}
infra          sqp_ squ_ sqa_                                 [0-9a-f]{40}
infra          pnu_ pnb_                                      [A-Za-z0-9]{36}
infra          pat.                                           [\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}
infra          AQVN                                           [\w-]{35,38}
infra          tk-us-                                         [\w-]{30,64}
infra          t1.                                            [\w-]{40,255}={0,2}\.[\w-]{60,90}={0,2}
chat           xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-  [A-Za-z0-9%./+=-]{10,255}
chat           xoxe.xoxp- xoxe.xoxb-                          [\w-]{20,255}
chat           xapp-                                          \d-[A-Z0-9]{8,16}-\d{8,16}-[A-Za-z0-9]{32,80}
chat           https://hooks.slack.com/                       (?:services|workflows|triggers)/[\w/+-]{20,128}
chat           https://discord.com/api/webhooks/ https://discordapp.com/api/webhooks/  \d{15,22}/[\w-]{40,80}
chat           https://chat.googleapis.com/v1/spaces/         [^\s"'<>]{30,255}
chat           EAA                                            [A-Za-z0-9]{60,255}
chat           AAAAAAAAAAAAAAAAAAAAA                          [A-Za-z0-9%]{60,120}
mail           SG.                                            [\w-]{16,32}\.[\w-]{32,64}
mail           key-                                           [0-9a-f]{32}
mail           re_                                            [A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}
mail           xkeysib- xsmtpsib-                             [0-9a-f]{64}-[A-Za-z0-9]{16}
mail           mlsn.                                          [0-9a-f]{64}
mail           md-                                            [\w-]{22}
observability  sntryu_                                        [0-9a-f]{64}
observability  sntrys_                                        [\w+/=-]{40,400}
observability  glsa_                                          [A-Za-z0-9]{32}_[0-9a-fA-F]{8}
observability  glc_                                           [A-Za-z0-9+/]{32,400}={0,2}
observability  eyJrIjoi                                       [A-Za-z0-9+/]{40,400}={0,2}
observability  NRAK- NRJS- NRII- NRIQ- NRRA-                  [A-Za-z0-9_-]{19,64}
observability  dt0c01. dt0s01. dt0s02. dt0s16.                [A-Z0-9]{8,24}\.[A-Z0-9]{64}
observability  hcaik_ hcbik_ hcxik_ hcamk_ hcalk_             [a-z0-9]{32,80}
observability  xaat- xapt-                                    [0-9a-f-]{36}
observability  phx_ phs_                                      [\w-]{40,64}
observability  cxtp_ cxup_                                    [A-Za-z0-9]{30}
observability  pdus+_                                         [\w-]{16,64}
packages       npm_                                           [A-Za-z0-9]{36}
packages       pypi-                                          [\w-]{60,512}
packages       dckr_pat_ dckr_oat_                            [\w-]{20,64}
packages       rubygems_                                      [0-9a-f]{48}
packages       oy2                                            [a-z0-9]{43}
packages       cio                                            [A-Za-z0-9]{32}
packages       CLOJARS_                                       [0-9a-z]{60}
packages       AKCp cmVmdGtu                                  [A-Za-z0-9]{56,128}
packages       jsr_ jsrp_ packagist_ack_ packagist_uat_       [0-9A-Za-z_]{32,128}
payments       sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_  [A-Za-z0-9]{10,255}
payments       sk_                                            [0-9a-f]{40,64}
payments       whsec_                                         [A-Za-z0-9+/]{24,80}={0,2}
payments       sq0atp- sq0csp- sq0idp-                        [\w-]{22,64}
payments       EAAA                                           [\w-]{56,64}
payments       access_token$production$ access_token$sandbox$ [0-9a-z]{16}\$[0-9a-f]{32}
payments       access-sandbox- access-development- access-production-  [0-9a-f-]{36}
payments       pdl_live_apikey_ pdl_sdbx_apikey_              \w{40,80}
payments       FLWSECK- FLWSECK_TEST-                         [\w-]{20,64}
payments       live_ test_                                    [A-Za-z0-9]{30,45}
payments       shpat_ shpca_ shppa_ shpss_ shptka_            [0-9a-fA-F]{32}
payments       rzp_live_ rzp_test_                            [A-Za-z0-9]{14}
payments       EZAK EZTK                                      [A-Za-z0-9]{54}
payments       shippo_live_ shippo_test_                      [0-9a-f]{40}
saas           ntn_                                           [A-Za-z0-9]{40,60}
saas           secret_                                        [A-Za-z0-9]{43}
saas           lin_api_ lin_oauth_                            [A-Za-z0-9]{32,64}
saas           pat                                            [A-Za-z0-9]{14}\.[0-9a-f]{64}
saas           PMAK-                                          [0-9a-f]{24}-[0-9a-f]{34}
saas           figd_ figdr_ figu_ figo_                       [\w-]{36,64}
saas           sl.                                            [\w-]{100,255}
saas           tfp_                                           [\w.=-]{40,64}
saas           CFPAT-                                         [\w-]{40,64}
saas           pat-na1- pat-na2- pat-eu1- pat-ap1-            [0-9a-f-]{36}
saas           duffel_live_ duffel_test_                      [\w=-]{43}
saas           rdme_                                          [a-z0-9]{70}
saas           fio-u-                                         [\w=-]{64}
saas           sk.eyJ                                         [\w-]{40,255}\.[\w-]{20,64}
saas           ATTA                                           [0-9a-zA-Z]{60,80}
saas           sdk- api-                                      [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
saas           signkey-prod- signkey-test- signkey-branch-    [0-9a-f]{64}
saas           tr_dev_ tr_prod_ tr_stg_                       [A-Za-z0-9]{16,32}
saas           secret-live- secret-test-                      [\w=-]{30,64}
saas           ico-                                           [A-Za-z0-9]{32}
saas           zpka_ KEY0 apify_api_ phc_secret_ wst_         [A-Za-z0-9_]{30,80}
saas           https://hooks.zapier.com/hooks/catch/          [\w/]{8,64}
saas           https://maker.ifttt.com/                       [^\s"'<>]{20,128}
private-key    AGE-SECRET-KEY-1                               [A-Z0-9]{58}
private-key    b3BlbnNzaC1rZXktdjEA                           [A-Za-z0-9+/=\s]{40,8192}
private-key    MIIEvQIBADANBgkq MIIEvgIBADANBgkq MIIEpAIBAAKCAQEA MIIEowIBAAKCAQEA MIIEogIBAAKCAQEA MIIJQgIBADANBgkq MIIJKAIBAAKCAgEA MIIJKQIBAAKCAgEA MIGHAgEAMBMGByqG MHcCAQEEI MC4CAQAwBQYDK2Vw  [A-Za-z0-9+/=\s]{30,8192}
infra          hvp.                                           [\w-]{60,255}
infra          sha256~                                        [\w-]{43}(?![\w-])
infra          ory_at_ ory_rt_ ory_ac_ ory_st_ ory_pat_ gitpod_pat_  [\w.-]{32,128}
infra          dbtc_ dbtu_                                    [\w-]{32,80}
infra          y0_                                            [\w-]{50,70}
vcs            sgs_ sgd_ slk_                                 [0-9A-Za-z_]{40,80}
observability  sntryi_                                        [0-9a-f]{64}
payments       shpua_ shprk_                                  [0-9a-fA-F]{32}
payments       sk_svix_ testsk_ cal_live_                     [\w.]{32,80}
chat           IGQVJ IGAA THAA                                [A-Za-z0-9_-]{100,255}
ai             ls__                                           [0-9a-f]{32}
ai             sk-helicone- ctx7sk-                           [\w-]{30,80}
wallet         xprv yprv zprv tprv                            [1-9A-HJ-NP-Za-km-z]{100,112}
wallet         nsec1                                          [a-z0-9]{58}
"""

_B64 = r"[A-Za-z0-9+/]"

# Commands that take a secret from their input, by the words that announce them and as they are written.
_TAKING = (
    "--password-stdin", "sudo -s", "--with-token", "chpasswd", "passwd --stdin", "cryptsetup", "kinit", "pass stdin",
    "passphrase-fd", "secret put", "secret set", "secret create", "secrets create", "secrets versions add",
)  # fmt: skip
_TAKES = (
    r"(?:--password-stdin|sudo\s-S|--with-token|\bchpasswd|\bpasswd\s--stdin|\bcryptsetup\b|\bkinit\b|-pass\sstdin"
    r"|--passphrase-fd|\bsecret\s(?:put|set|create)\b|\bsecrets\s(?:create|versions\sadd)\b)"
)
_SECRET_WORD = r"(?:passwd|password|passphrase|secret|token|api_?key|access_?key|private_?key|credentials?)"

PATTERNS = (
    # "eyJ" is how a JSON object starts in base64; five parts are an encrypted token.
    Pattern("jwt", ("eyJ",), r"(?<![\w-])eyJ[\w-]{8,2048}\.eyJ[\w-]{4,8192}(?:\.[\w-]{0,2048}){1,3}"),
    Pattern("jwt", ("eyJ",), r"(?<![\w-])eyJ[\w-]{8,2048}\.[\w-]{0,1024}\.[\w-]{8,255}\.[\w-]{8,8192}\.[\w-]{8,255}"),
    Pattern("infra", (".atlasv1.",), r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,128}"),
    Pattern("mail", ("-us",), r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}\b"),
    Pattern("mail", ("mailgun",), r"(?<![0-9a-f])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b"),
    Pattern("chat", ("discord", "MT", "Nz", "OT", "OD"),
            r"(?<![\w-])[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])", "random"),
    Pattern("chat", (":AA",), r"(?<!\d)\d{8,10}:AA[\w-]{30,40}(?![\w-])"),
    Pattern("chat", (".webhook.office.com/",),
            r"https://[\w-]{1,64}\.webhook\.office\.com/webhookb2/[^\s\"'<>]{30,300}", "any"),
    Pattern("chat", ("twilio",), r"(?<![A-Za-z0-9])SK[0-9a-f]{32}\b"),
    Pattern("cloud-azure", ("accountkey", "sharedaccesskey"),
            rf"(?i:AccountKey|SharedAccessKey)\s{{0,4}}[=:]\s{{0,4}}[\"']?({_B64}{{40,120}}={{0,2}})"),
    Pattern("cloud-azure", ("sig=",), r"[?&;]sig=([\w%.+/~-]{20,128}={0,2})"),
    Pattern("cloud-azure", ("Q~",), r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])"),
    Pattern("cloud-azure", ("JQQJ99", "AzFu", "AzSe", "AzCa", "+ASt", "ACDb", "AIoT", "AEhS", "ARm", "ACOG"),
            rf"(?<![A-Za-z0-9+/_-])[\w+/-]{{30,88}}(?:JQQJ99|AzFu|AzSe|AzCa|\+ASt|ACDb|AIoT|\+AEhS|\+ARm|ACOG)"
            rf"{_B64}{{4,32}}={{0,2}}"),
    Pattern("cloud-azure", ("code=",), r"azurewebsites\.net/[^\s\"'<>]{1,200}?[?&]code=([\w%+/=-]{20,128})"),
    Pattern("cloud-aws", ("X-Amz-Signature=",), r"X-Amz-Signature=([0-9a-f]{64})"),
    Pattern("cloud-aws", ("X-Amz-Security-Token=",), r"X-Amz-Security-Token=([\w%.+/~-]{40,2048})"),
    Pattern("cloud-aws", ("AKIA", "ASIA"),
            rf"(?<![A-Z0-9])A[KS]IA[A-Z0-9]{{16}}[^A-Za-z0-9+]{{1,6}}(?:secret\W{{1,5}})?({_B64}{{40}})(?![A-Za-z0-9+/=])",
            "random"),
    Pattern("cloud-gcp", (":APA91b",), r"(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{100,180}"),
    Pattern("payments", ("access-token", "asana"), r"(?<![\w/])[012]/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}\b"),
    Pattern("saas", ("00D",), r"(?<!\w)00D[A-Za-z0-9]{12,15}![\w.]{60,140}"),
    Pattern("saas", ("pk_",), r"(?<!\w)pk_\d{6,10}_[A-Z0-9]{32}\b"),
    Pattern("saas", ("ssws", "okta"), r"(?<![\w-])00[\w-]{40}(?![\w-])", "random"),
    Pattern("saas", ("A3-",), r"(?<!\w)A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){3,5}[A-Z0-9]{5}\b"),
    Pattern("observability", ("NRAL",), r"(?<!\w)[0-9a-f]{36}NRAL\b"),
    Pattern("observability", ("sentry",), r"https://[0-9a-f]{32}:([0-9a-f]{32})@"),
    Pattern("mfa", ("otpauth",), r"otpauth://[^\s\"'<>]{0,200}?[?&]secret=([A-Za-z2-7%=]{8,128})"),
    Pattern("mfa", ("totp", "otp", "2fa", "mfa", "authenticator"),
            r"(?i:\b(?:totp|otp|2fa|mfa|authenticator)\b[^\n]{0,40}?)"
            r"(?<![A-Za-z0-9])((?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4} ){3,15}[A-Z2-7]{4}))(?![A-Za-z0-9])"),
    Pattern("mfa", ("recovery code", "backup code", "recovery_code", "backup_code"),
            r"(?i:(?:recovery|backup)[ _]codes?)[^\n:=]{0,30}[:=]\s{0,10}"
            r"((?:[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){0,3}[\s,;]{1,4}){0,15}"
            r"[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){0,3})", "has-digit"),
    Pattern("wallet", ("private", "wallet", "eth_", "ethereum", "eth "),
            r"(?i:priv(?:ate)?[ _-]?key|wallet|eth\w*)[^\n]{0,40}?(?<![0-9A-Za-z])(?:0x)?([0-9a-fA-F]{64})(?![0-9A-Za-z])"),
    Pattern("wallet", ("wif", "private", "bitcoin", "btc", "wallet"),
            r"(?<![1-9A-HJ-NP-Za-km-z])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KLc][1-9A-HJ-NP-Za-km-z]{51})"
            r"(?![1-9A-HJ-NP-Za-km-z])", "random"),
    Pattern("wallet", ("solana", "phantom", "keypair", "private"),
            r"(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{86,88}(?![A-Za-z0-9])", "random"),
    Pattern("wallet", ("keypair", "solana", "secret key", "private"), r"\[(?:\d{1,3},\s?){63}\d{1,3}\]"),
    Pattern("wallet", ("mnemonic", "seed", "phrase"),
            r"(?i:mnemonic|(?:seed|recovery|secret|wallet|backup)[ _-]?(?:phrase|words?))[^\n:=]{0,40}?(?:[:=]|\bis\b)"
            r"\s{0,10}[\"']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"),
    Pattern("auth-header", ("basic",), r"(?i:\bbasic)\s{1,4}([A-Za-z0-9+/_-]{12,512}={0,2})(?![\w+/])", "basic"),
    Pattern("auth-header", ("bearer",), r"(?i:\bbearer)[\s:=]{1,4}[\"']?([\w.~+/-]{16,4096}={0,2})", "random"),
    Pattern("auth-header", ("authorization", "x-api-key", "x-auth", "x-token", "apikey", "private-token", "job-token",
                            "x-vault-token", "x-access", "x-amz-security-token", "proxy-authorization"),
            r"(?i:(?:authorization|x-api-key|x-auth-token|x-auth-key|x-token|api-?key|(?:private|job|deploy)-token"
            r"|x-vault-token|x-access-token|x-amz-security-token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
            r"(?:(?:token|bearer|basic|apikey|key|ssws|sso-key|genie[ ]?key|bot)[\s:=]{1,3})?)"
            r"([^\s\"',;<>]{12,4096})", "header"),
    Pattern("auth-header", ("cookie",),
            r"(?i:\b(?:set-)?cookie)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[^\s=;]{1,64}=[^\s;]{0,64};\s{0,3}){0,8}?"
            r"(?i:[\w.-]{0,40}(?:sess|sid|auth|token|jwt|login|remember|csrf)[\w.-]{0,40})=([^\s;\"']{12,4096})", "random"),
    Pattern("auth-header", ("-u", "--user", "--proxy-user"),
            r"(?<![\w-])(?:-u|--user|--proxy-user|-U)[ =]{0,2}[\"']?[^\s:\"']{1,64}:([^\s\"']{4,128})", "password"),
    # After these the word is a password, however it reads.
    Pattern("auth-header", ("curl",), r"\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user|--proxy-user|-U)[ =]{0,2}[\"']?[^\s:\"']{1,64}:([^\s\"']{4,128})", "url-password"),
    Pattern("auth-header", ("http",), r"(?<![\w/.-])(?:https?|xhs?)\b(?!:)[^\n|;]{0,200}?\s(?:-a|--auth)[ =]{1,2}[\"']?[^\s:\"']{1,64}:([^\s\"']{4,128})", "url-password"),
    Pattern("token", ("master.key",), r"\bmaster\.key[\"'`]?(?:\s{0,3}[:=]|\sis)\s{0,3}[\"'`]?([0-9a-f]{32})(?!\w)", "any"),
    Pattern("token", ("fernet",), r"(?i:fernet)[^\n]{0,24}?(?<![\w+/-])([\w+/-]{43}=)(?![\w=])", "stand-in"),
    Pattern("url-credential", ("://",), r"://[^\s:/@\"'<>]{0,128}:([^\s/\"'<>]{1,200})@(?=[\w.\[$-])", "url-password"),
    Pattern("url-credential", ("://",), r"://([A-Za-z0-9_-]{20,255})(?::x-oauth-basic)?@(?![\w.-]{0,60}sentry)", "random"),
    Pattern("auth-header", ("digest ",), r"(?i:\bdigest)\s[^\n]{0,400}?\bresponse=\"?([0-9a-f]{32,64})\b"),
    Pattern("cloud-aws", ("aws4-hmac",), r"AWS4-HMAC-SHA256[^\n]{0,400}?Signature=([0-9a-f]{64})"),
    Pattern("chat", ("AC",), r"(?<![A-Za-z0-9])AC[0-9a-f]{32}:([0-9a-f]{32})\b"),
    Pattern("infra", ("vault",), r"(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w.])", "random"),
    Pattern("auth-header", ("curl",), r"\bcurl\b[^\n|;]{0,200}?\s(?:-b|--cookie)[ =][\"']?[\w-]{1,40}=([^\s\"';]{8,512})", "random"),
    # Commands that take a secret as a word, or what is printed into them.
    Pattern("password", ("storepass", "keypass"), r"-(?:src|dest)?(?:store|key)pass[ =][\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("ssh-keygen",), r"\bssh-keygen\b[^\n|;]{0,120}?\s-N[ =]?[\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("smbclient",), r"\bsmbclient\b[^\n|;]{0,120}?\s-U[ =]?[\"']?[^\s%\"']{1,64}%([^\s\"']{6,128})", "password"),
    Pattern("password", ("--vault-pass",), r"--vault-pass[ =][\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("security ",), r"\bsecurity\s(?:add|find|set)-[\w-]{1,40}[^\n|;]{0,160}?\s-w[ =][\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("secret set",), r"\bgh\ssecret\sset\b[^\n|;]{0,120}?\s(?:--body|-b)[ =][\"']?([^\s\"']{6,256})", "password"),
    Pattern("password", ("secrets set",), r"\bfly(?:ctl)?\ssecrets\sset\s[^\n|;=]{0,80}?\w=[\"']?([^\s\"']{6,256})", "password"),
    Pattern("password", _TAKING, rf"\b(?:echo|printf)\s(?:-n\s)?[\"']?([^\s\"'|]{{6,256}})[\"']?\s{{0,4}}\|[^\n|]{{0,120}}?{_TAKES}", "password"),
    Pattern("password", _TAKING, rf"{_TAKES}[^\n|;<]{{0,160}}?(?<!<)<<<\s{{0,3}}\$?[\"']?([^\s\"'<]{{6,256}})", "password"),
    Pattern("password", _TAKING, rf"{_TAKES}[^\n|;<]{{0,160}}?(?<!<)<<-?\s?[\"']?\w{{1,24}}[\"']?\n[ \t]{{0,16}}([^\s\"'<]{{6,256}})\n", "password"),
    # A program nobody listed may be given its input like this too, so the value must look drawn.
    Pattern("password", ("<<<",), r"\w\s{1,3}<<<\s{0,3}[\"']?([^\s\"'<>,]{8,256})[\"']?(?=\s|[;|&)`]|\Z)", "beside"),
    Pattern("password", ("openssl",), r"\bopenssl\s[^\n|;]{0,160}?\s-[kK]\s[\"']?([^\s\"']{6,256})", "password"),
    Pattern("password", ("wpa_passphrase",), r"\bwpa_passphrase\s(?:\"[^\"\n]{1,64}\"|\S{1,64})\s[\"']?([^\s\"']{8,63})", "password"),
    Pattern("password", ("plink", "pscp", "psftp", "putty"), r"\b(?:plink|pscp|psftp|putty)\b[^\n|;]{0,160}?\s-pw\s[\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("impacket", "psexec", "secretsdump", "wmiexec", "smbexec", "mssqlclient"),
            r"\b(?:impacket-\w{1,24}|psexec|secretsdump|wmiexec|smbexec|mssqlclient)\S{0,8}\s[^\n|;]{0,120}?[\w.-]{1,64}:([^\s@\"'/]{6,128})@[\w.]", "password"),
    Pattern("password", ("twine", "evil-winrm", "crackmapexec", "nxc ", "netexec", "cqlsh", "ipmitool", "influx ", "lftp"),
            r"\b(?:twine|evil-winrm|crackmapexec|nxc|netexec|cqlsh|ipmitool|influx|lftp)\s[^\n|;]{0,160}?\s-[pP]\s[\"']?([^\s\"']{6,512})", "password"),
    Pattern("password", ("security import",), r"\bsecurity\simport\s[^\n|;]{0,160}?\s-P\s[\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("convertto-securestring",), r"(?i:\bconvertto-securestring)\s{1,3}(?:(?i:-string)\s{1,3})?[\"']([^\"'\n]{6,256})[\"']", "password"),
    Pattern("password", ("net user",), r"(?i:\bnet user)\s{1,3}[\w.$-]{1,64}\s{1,3}[\"']?([^\s\"'/*]{6,128})", "strict-password"),
    Pattern("password", ("useradd", "usermod"), r"\buser(?:add|mod)\b[^\n|;]{0,120}?\s(?:-p|--password)[ =][\"']?([^\s\"']{6,256})", "password"),
    Pattern("token", ("vercel ",), r"\bvercel\s[^\n|;]{0,120}?-t[ =][\"']?([^\s\"']{16,128})", "random"),
    Pattern("token", ("vault login", "cargo login", "wandb login", "huggingface-cli login", "hf auth login", "railway login"),
            r"\b(?:vault|cargo|wandb|huggingface-cli|hf auth|railway)\slogin\s(?:--?[\w-]{1,24}[ =]){0,3}[\"']?([^\s\"'=]{16,256})", "random"),
    Pattern("token", ("--secret-string",), r"--secret-string[ =][\"']?([^\s\"']{6,1024})", "password"),
    Pattern("token", ("securestring",), r"\bput-parameter\b[^\n|;]{0,240}?\s--value[ =][\"']?([^\s\"']{6,1024})", "password"),
    Pattern("token", ("keyvault secret set",), r"\bkeyvault secret set\b[^\n|;]{0,240}?\s--value[ =][\"']?([^\s\"']{6,1024})", "password"),
    Pattern("token", ("config set",), r"\bpulumi\sconfig\sset\b[^\n|;]{0,120}?--secret\s[\w:.-]{1,64}\s[\"']?([^\s\"']{6,512})", "password"),
    Pattern("token", ("--auth",), r"--auth[ =][\"']?([^\s\"']{24,256})", "random"),
    Pattern("token", ("nuget push", "gem push"), r"\b(?:nuget|gem)\spush\b[^\n|;]{0,160}?\s(?:-k|--key)[ =][\"']?([^\s\"']{16,256})", "random"),
    Pattern("token", ("mc alias set", "mc config host add"), r"\bmc\s(?:alias set|config host add)\s\S{1,64}\shttps?://\S{1,200}\s\S{1,128}\s[\"']?([^\s\"']{6,128})", "password"),
    Pattern("token", ("?key=", "&key=", "appid="), r"[?&](?:key|appid)=([\w-]{24,128})(?![\w-])", "random"),
    Pattern("token", ("::add-mask::",), r"::add-mask::([^\s\"']{6,512})", "random"),
    # Name and value are in separate fields.
    Pattern("token", ("value",), rf"(?i:\bname[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?[\w.-]{{0,64}}{_SECRET_WORD}[\"']?,?\s{{1,40}}[\"']?value[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?)([^\s\"',}}]{{6,512}})", "password"),
    Pattern("token", ("value",), rf"(?i:\"name\"\s{{0,3}}:\s{{0,3}}\"[\w.-]{{0,64}}{_SECRET_WORD}\",\s{{0,40}}\"value\"\s{{0,3}}:\s{{0,3}})\"([^\"\n]{{6,512}})\"", "password"),
    Pattern("token", ("<string>",), rf"(?i:<key>[\w.-]{{0,64}}{_SECRET_WORD}</key>\s{{0,40}}<string>)([^<\n]{{6,512}})</string>", "password"),
    Pattern("token", ("variable ",), rf"(?i:\bvariable\s{{1,3}}\"[\w-]{{0,64}}{_SECRET_WORD}\"\s{{0,3}}\{{)[^}}]{{0,400}}?\bdefault\s{{0,8}}=\s{{0,8}}\"([^\"\n]{{6,512}})\"", "password"),
    # A user's name and a password as plain arguments.
    Pattern("password", (".login(", "auth=(", "basicauth(", "pdo(", "mysqli"),
            r"(?:\.login\(|\bauth=\(|(?i:basicauth|\bpdo|mysqli(?:_connect)?)\()(?:[\w.$]{1,64}|\"[^\"\n]{1,128}\"|'[^'\n]{1,128}')"
            r"(?:,\s{0,8}(?:\"[^\"\n]{1,128}\"|'[^'\n]{1,128}')){0,1},\s{0,8}[\"']([^\"'\n]{6,128})[\"']\s{0,8}[,)]", "strict-password"),
    Pattern("password", (".connect(",), r"\.connect\([^()\n]{0,120}?,\s{0,8}[\"'](?:root|admin|[a-z_][a-z0-9_-]{1,31})[\"'],\s{0,8}[\"']([^\"'\n]{6,128})[\"']\s{0,8}[,)]", "strict-password"),
    Pattern("token", ("value=",), r"(?i:\bkey=\"[\w.:-]{0,40}(?:key|secret|token|password)\"\s{1,4}value=\")([^\"\n]{10,256})\"", "random"),
    Pattern("password", ("mysql", "mariadb", "sshpass", "mongo"),
            r"\b(?:mysql\w{0,6}|mariadb\w{0,6}|sshpass|mongo\w{0,8})\b[^\n|;]{0,120}?\s-p ?[\"']?([^\s\"']{6,128})",
            "password"),
    Pattern("password", ("redis-cli", "sqlcmd", "ldap", "7z", "zip ", "rabbitmqctl", "bcp ", "osql", "xfreerdp"),
            r"\b(?:redis-cli|sqlcmd|ldap\w{3,8}|7z\w?|zip|unzip|rabbitmqctl|bcp|osql|xfreerdp)\b[^\n|;]{0,120}?"
            r"\s(?:-a|-P|-w|/p:|-p)[ =]?[\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("net use", "htpasswd"),
            r"\b(?:net use\b[^\n|;]{0,120}?/user:\S{1,64}|htpasswd\s{1,3}-\w{1,6}\s{1,3}\S{1,128}\s{1,3}\S{1,64})"
            r"\s{1,3}[\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", ("pin",), r"(?i:\bpin(?: code| number)?)(?: is|\s{0,2}[:=])\s{0,3}(\d{4,8})\b", "any"),
    Pattern("password", ("pass", "pw"), r"(?i:(?<![\w-])(?:pass|pw))\s{0,2}[:=]\s{0,3}[\"']?([^\s\"',;]{6,128})",
            "strict-password"),
    Pattern("password", ("login ",),
            r"\blogin\b[^\n|;]{0,120}?\s-p[ =]?[\"']?([^\s\"']{6,128})", "password"),
    Pattern("password", (" / ", " | "),
            r"(?i:\b(?:log ?in(?:to)?|sign ?in|creds|credentials|account|ssh|user(?:name)?)\b)[^\n/]{0,40}?"
            r"[\w.@\\-]{2,64}\s{1,2}(?:/|\|)\s{1,2}([^\s/,;]{6,64})", "strict-password"),
    Pattern("password", ("login", "log in", "creds", "credentials", "sign in"),
            r"(?i:\b(?:log ?in(?:to)?|sign ?in|creds|credentials)\b)[^\n:]{0,30}?[:\s]\s{0,2}"
            r"[\w.@\\-]{2,64}[:/]([^\s/,;:]{8,64})", "strict-password"),
    Pattern("password", ("machine ",),
            r"\bmachine\s{1,4}\S{1,128}\s{1,8}login\s{1,4}\S{1,128}\s{1,8}password\s{1,4}(\S{4,256})"),
    Pattern("password", (":5432:", ":5433:", ":6432:", ":*:"), r"(?m)^[\w.*-]{1,64}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w.@-]{1,64}:([^\s:]{6,128})$", "password"),
    Pattern("password", ("identified by", "with password", "encrypted password"),
            r"(?i:identified by|with password|encrypted password)\s{1,4}[\"']([^\"'\n]{4,128})[\"']", "password"),
    Pattern("packages", ("_auth", "_password"), r"(?i:_(?:auth|password|authtoken))\s{0,3}=\s{0,3}[\"']?([^\s\"']{12,512})", "random"),
    Pattern("packages", ('"auth"',), r"\"auth\"\s{0,4}:\s{0,4}\"([A-Za-z0-9+/]{12,512}={0,2})\"", "random"),
    Pattern("private-key", ("key-data", "key_data"), rf"(?i:key[-_]data)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?({_B64}{{40,8192}}={{0,2}})"),
    Pattern("private-key", ("privatekey", "presharedkey", "private_key", "private key", "private-key"),
            rf"(?i:private[ _-]?key|preshared[ _-]?key)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?({_B64}{{42,44}}={{0,2}})(?![\w+/=])"),
    Pattern("private-key", ('"d"',), r"\"d\"\s{0,4}:\s{0,4}\"([\w-]{40,1024})\"", "random"),
    Pattern("private-key", ("private-lines:",), rf"(?i:private-lines:)\s{{0,3}}\d{{1,3}}\s{{1,3}}((?:{_B64}{{1,64}}={{0,2}}\s{{1,2}}){{1,60}})"),
    Pattern("pii", ("-",), r"\d{3}(?<![\w.-]\d{3})-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"),
    Pattern("pii", ("ssn", "social security"), r"(?i:\bssn\b|social security)[^\n\d]{0,24}(\d{3}[ -]?\d{2}[ -]?\d{4})\b"),
    Pattern("pii", ("passport",), r"(?i:\bpassport)(?: (?i:no|number|nr)\.?)?[\s:#]{1,4}((?=[A-Z]{0,2}\d)[A-Z0-9]{7,10})\b"),
    Pattern("pii", ("date of birth", "born on", "dob"),
            r"(?i:date of birth|born on|\bdob\b)[\s:=]{1,4}(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})"),
    Pattern("pii", ("national insurance", "nino", "ni number"),
            r"(?<!\w)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"),
    Pattern("pii", (), r"\d(?<![\w.-]\d)(?:[ -]?\d){12,18}(?![\w-])", "card"),
    Pattern("pii", (), r"[A-Z]{2}(?<![A-Za-z0-9][A-Z]{2})\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])", "iban"),
)  # fmt: skip

# Names of settings whose value is a secret. The longer name wins where two begin at the same place.
SECRET_NAMES = (
    "password", "passwd", "passphrase", "passcode", "pwd", "kennwort", "passwort", "contraseña", "mot de passe",
    "wachtwoord", "lösenord", "senha", "hasło", "пароль",
    "secret", "token", "credential", "apikey", "api_key", "api-key", "api key", "access_key", "accesskey",
    "access-key", "access key", "secret_key", "auth_key", "authkey", "auth key", "private_key", "privatekey",
    "encryption_key", "encryption key", "signing_key", "signing key", "master_key", "master key", "account_key",
    "service_key", "app_key", "appkey", "application_key", "application key", "license_key", "license key",
    "subscription_key", "storage_key", "shared_key", "session_key", "admin_key", "admin key", "rest_key", "_pw",
    "_pass", "userpass", "jwt_key", "hmac_key", "hmac key", "webhook_key", "deploy_key", "deploy key", "psk",
    "sharedaccesskey", "app key", "_key", " key", "_pat", " pat", "snyk auth",
)  # fmt: skip

# Words before such a name that make it a harmless one, as in `csrf_token_name` or `public_api_key`.
HARMLESS_BEFORE = (
    "public", "publishable", "idempotency", "cache", "primary", "foreign", "partition", "sort", "page", "continuation",
    "cancellation", "cancel", "max", "min", "stop", "pad", "eos", "bos", "mask", "num", "total", "input", "output",
    "prompt", "completion", "sync", "pagination", "hashed", "count", "object", "row", "lookup", "dedup", "dedupe",
)  # fmt: skip


@cache
def tokens() -> tuple[Token, ...]:
    """Return the rows of `TOKENS`, longer words first so that the most exact one names the family."""
    rows = []
    for line in TOKENS.strip().splitlines():
        family, *words, rest = line.split()
        rows += [Token(family, word, rest) for word in words]
    return tuple(sorted(rows, key=lambda row: -len(row.word)))
