"""The word lists of claim extraction: data, so that a false claim is mended by a word and not by code."""

from __future__ import annotations

from tenure.text.words import STOP_WORDS


def listed(text: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(text.split())


# Extensions that make a name without a slash a file even in `backticks`; `console.log`, `process.env` and the
# like are why log, env, config, data, map, bin, out and lock are not here.
FILE_EXTENSIONS = listed(
    """
    erb ejs haml slim mustache liquid twig heex razor cshtml csproj sln xaml fxml
    adoc asm astro awk bat bash bats bzl c cc cfg clj cmake cmd conf cpp cs css csv cts cu cxx dart db
    dockerfile ex exs erl fish fs gemspec go gradle graphql groovy h hbs hcl hh hpp hs html htm hxx ini
    ipynb java jinja j2 jl js json json5 jsonc jsonl jsx kt kts less lua m md mdc mdx mjs mk ml mm mts
    nim nix pdf php pl plist pm png po prisma proto ps1 psql pug py pyi pyx r rake rb rs rst sass sbt
    scala scm scss sh sol sql sqlite styl sum svelte svg swift tex tf tfvars thrift tmpl toml ts tsv tsx
    txt vb vue wasm wgsl xml xsd yaml yml zig zsh
    """
)

# With a slash any of these ends a path too.
LOOSE_EXTENSIONS = FILE_EXTENSIONS | listed(
    """
    bin bmp cert config crt data dat env example gif gz ico jar jpg jpeg key lock log map mod mp3 mp4
    out patch pem properties sample snap so spec tar template tgz ttf webp whl woff woff2 work zip
    """
)

# File names that are known without an extension or with an unusual one.
KNOWN_FILES = listed(
    """
    Makefile GNUmakefile makefile Dockerfile Containerfile Jenkinsfile Vagrantfile Procfile Rakefile
    Gemfile Gemfile.lock Pipfile Pipfile.lock justfile Justfile Taskfile.yml CODEOWNERS LICENSE BUILD
    WORKSPACE Brewfile Cargo.lock poetry.lock uv.lock yarn.lock composer.lock package-lock.json go.mod
    go.sum .gitignore .env.example .editorconfig .eslintrc .prettierrc .dockerignore .npmrc .nvmrc
    .python-version .tool-versions
    """
)

# Files of agents: often named to say what an agent reads, and kept outside the project.
# Files of these kinds have names that many projects and tools share: without a folder, history decides.
DATA_EXTENSIONS = listed("md txt json jsonl yml yaml toml ini cfg conf log lock db sqlite csv tsv env xml html")
# "the only package", "the standard library", "never run npm install here": words that name nothing.
NOT_PACKAGES = STOP_WORDS | listed(
    """
    a above base below child client code context core crate current dependencies dependency each entire every file
    files first folder following gem graph injection json last latest level libraries library list lock lockfile
    lockfiles main management manager managers module modules must name named names new next node not npm old
    original package packages parent pinning previous private public pypi python release resolution right root
    section server shared standard system test tests third-party tree tree-shaking update updates version versions
    whole word
    """
)
# Programs of a machine, which its own package manager installs: a page may ask for the "package `jq`".
SYSTEM_TOOLS = listed(
    """
    apt autoconf automake awk bash bat bison brew build-essential bun bzip2 ca-certificates cargo clang clang-format
    clang-tidy cmake conda coreutils corepack curl deno direnv docker docker-compose dos2unix entr fd fd-find ffmpeg
    findutils fish flex fzf g++ gawk gcc gdb gettext gh ghostscript git git-lfs glab gmake gnupg go golang gpg gradle
    graphviz grep gzip helm homebrew htop imagemagick java jdk jq just kubectl less lld lldb llvm lsof make maven meson
    minikube mise mysql ncurses nginx ninja node nodejs npm npx nvm openssh openssl pandoc parallel patchelf perl
    php pip pipx pkg-config podman poppler poppler-utils postgres postgresql protobuf-compiler protoc psql pyenv python
    python3 rbenv readline redis ripgrep rsync ruby rustup sed shellcheck shfmt socat sqlite sqlite3 ssh strace tar
    terraform tmux tree unzip uv uvx valgrind vim watchman wget xvfb xz yarn yq zip zlib zsh
    """
)
# What a clone's remotes are called, whether or not this one has them.
USUAL_REMOTES = listed("origin upstream")
AGENT_FILES = listed("CLAUDE.md CLAUDE.local.md AGENTS.md GEMINI.md MEMORY.md SKILL.md")

# Products whose names look like files.
PRODUCTS = listed(
    """
    node.js next.js vue.js nuxt.js express.js react.js angular.js d3.js three.js ember.js backbone.js
    chart.js discord.js nest.js alpine.js moment.js socket.io asp.net vb.net ado.net deno.js bun.js
    ethers.js web3.js solid.js p5.js require.js knockout.js handlebars.js underscore.js
    """
)

# Endings by which the first part of a bare path is a host and not a folder.
HOST_ENDINGS = listed(
    """
    com org net io dev test ai app co edu gov local localhost example invalid cloud sh
    """
)

# Stand-ins that a reader would replace; a claim with one of these parts is no claim.
PLACEHOLDERS = listed(
    """
    file module component test_file test_name test_module test_foo test_bar test_example mycomponent my_component
    my_test your_test some_test somemodule x.y.z my-app your-app app-name project-name
    foo bar baz qux foobar path example examples.com your your_module your_file my_module my_file myfile
    somefile some_file filename file_name myfunction my_function some_function yourfile xxx xyz yyy
    placeholder namespace exampletest exampletests example_test example_spec example.test example.spec add_feature
    """
)

# Identifier-shaped words that belong to languages, tools and formats, not to a project.
COMMON_IDENTIFIERS = listed(
    """
    http_proxy https_proxy no_proxy all_proxy
    __init__ __main__ __name__ __file__ __all__ __dict__ __str__ __repr__ __call__ __enter__ __exit__
    __eq__ __hash__ __slots__ __version__ setUp tearDown setUpClass useState useEffect useMemo
    useCallback useRef useContext useReducer async_await camelCase PascalCase snake_case kebabCase
    SCREAMING_SNAKE_CASE UPPER_SNAKE_CASE UPPER_CASE CamelCase TypeScript JavaScript GitHub GitLab
    PostgreSQL MySQL MongoDB GraphQL OpenAPI FastAPI SQLAlchemy NumPy PyTorch TensorFlow DevOps MacOS
    macOS iOS iPadOS YouTube LinkedIn OAuth WebSocket WebSockets WebAssembly CoffeeScript LaTeX SQLite
    NoSQL DynamoDB BigQuery CloudFront CloudWatch CircleCI TravisCI VSCode IntelliJ JetBrains OpenAI
    ChatGPT README CHANGELOG TODO FIXME NaN isNaN
    """
)

# Words of a sentence that say the thing is gone, or not there yet: then its absence breaks nothing.
GONE_WORDS = (
    r"removed|deleted|dropped|renamed|replaced|superseded|retired|no longer|formerly|previously|"
    r"(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )(?<!been )used to|"
    r"(?:is|are|was|were|been|being|now) (?:\W{0,3})(?:deprecated|discontinued|retired|archived)|"
    r"(?:old|older|legacy|deprecated|former) (?:docs?|documents?|documentation|names?|paths?|pages?|imports?)|"
    r"antig[oa]s|antigu[oa]s|veraltet\w*|früher\w*|ehemals|ehemalig\w*|obsolète\w*|obsolet[oa]s?|устарел\w*|"
    r"gelöscht\w*|entfernt\w*|abgelöst\w*|supprimé\w*|eliminad[oa]s?|removid[oa]s?|rimoss[oaie]|verwijderd|"
    r"usunięt\w*|удал[её]н\w*|silindi|kaldırıldı|only while|"
    r"was moved|were moved|got rid|obsolete|does not exist|doesn't exist|do not exist|don't exist|not exist|"
    r"never existed|"
    r"will be|to be created|to be added|should create|planned|we plan|not yet|todo|in future|hypothetical|"
    r"another repo|other repo|other repository|separate repo|different repo"
)

DENSE_GONE_WORDS = (
    r"(?:を|が|は)?(?:削除|廃止)(?:し|さ|済|。|、|（|$)|已(?:删除|移除|废弃|刪除)|(?:삭제|제거)(?:됨|되|했|하)"
)

# Words that make a name an example: missing only when history knows it.
# So is a thing one is told to avoid: that it is not there is how it should be.
HEDGE_WORDS = (
    r"e\.g\.|for example|for instance|such as|something like|similar to|imagine|suppose|"
    r"never|do not|don't|avoid|instead of|rather than|not"
)

# Only prefixes that are rarely folders: `docs/x` and `test/x` are paths.
BRANCH_PREFIXES = listed(
    """
    feature feat fix bugfix hotfix release chore refactor experiment wip spike topic dependabot renovate
    """
)
# Names that a bare word after "branch" may have.
PLAIN_BRANCHES = listed(
    """
    main master develop dev trunk staging production gh-pages next stable
    """
)

# Words after "on branch" that name none.
NOT_BRANCHES = listed(
    """
    a an and as at by coverage creation for from if in is it level name names naming of off on or out per policy
    prediction protection protections so that the then to until when where which with
    """
)
# A tool's dot-folder may lie anywhere; these belong to the repository itself.
OWN_DOT_FOLDERS = (".github/", ".gitlab/", ".circleci/", ".husky/", ".devcontainer/")

PACKAGE_NOUNS = r"package|packages|library|libraries|dependency|dependencies|crate|gem|npm module|pypi package"
PACKAGE_VERBS = r"depends on|depend on|dependency on|relies on the package|pinned to|we pin|pins"
AFTER_NAME = r"[.,;:)@=<>~^]|(?:is|as|at|for|from|in|with|v?\d)\b"
# "add `x` to package.json", "install `x` with pip", "`x` from npm".
DECLARED = r"add|adds|added|declare|declares|declared|list|lists|listed|pin|pins|pinned|put|puts"
MANIFESTS = (
    r"package\.json|requirements[\w.-]{0,30}\.txt|pyproject\.toml|Pipfile|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|"
    r"Gemfile|composer\.json|pom\.xml|build\.gradle|(?:our[ \t]+)?(?:dev[ -]?)?dependencies"
)
REGISTRIES = r"npm|pnpm|yarn|pip3?|PyPI|uv|poetry|cargo|crates\.io|gem|RubyGems|composer"

# Names of tools that take a target, and the kind of target.
RUNNERS = {
    "make": "make",
    "gmake": "make",
    "just": "just",
    "task": "task",
    "rake": "rake",
    "nox": "nox",
    "tox": "tox",
    "invoke": "invoke",
    "inv": "invoke",
    "mage": "mage",
    "mise": "mise",
    "pre-commit": "pre-commit",
    "cargo": "cargo",
    "gradlew": "gradle",
    "gradle": "gradle",
}
# Words of a runner's own, after which the target comes or which are no targets.
RUNNER_OWN = {
    "pre-commit": frozenset(),
    "mise": listed("run r tasks install use exec x activate trust ls doctor set env settings upgrade up"),
    "cargo": listed(
        """
        add b bench build c check clean clippy d deny doc expand fetch fix fmt generate-lockfile help init insta install
        locate-project login logout machete make metadata miri new nextest owner package pkgid publish r read-manifest
        remove report rm run rustc rustdoc search t test tree uninstall update vendor verify-project version watch yank
        audit tarpaulin llvm-cov hack udeps outdated release dist workspaces sort spellcheck binstall
        """
    ),
}
# `npm run x` and its relatives; the bare form `yarn x` is a script unless it is the tool's own command.
SCRIPT_RUNNERS = listed(
    """
    npm pnpm yarn bun composer deno
    """
)
SCRIPT_RUNNER_OWN = listed(
    """
    add audit build-dependencies cache ci config create dedupe dlx exec help i info init install link
    list login ls outdated pack patch prune publish rebuild remove rm root run run-script search set
    task test unlink uninstall update upgrade version view why workspace workspaces x start stop restart
    t exec bin
    """
)
NPM_LIFECYCLE = frozenset({"test", "start", "stop", "restart"})

INSTALLERS = (
    r"(?:pip3?|uv pip|pipx|conda|poetry|pdm|uv|npm|pnpm|yarn|bun|cargo|gem|bundle|composer|go|dotnet|mix|apt|"
    r"brew)[ \t]+(?:install|add|require|get|i)"
)
# Not a project's packages: what the system or the user's machine provides.
SYSTEM_INSTALLERS = frozenset({"apt", "brew", "pipx", "conda"})

PLAIN_FENCES = frozenset({"", "text", "txt", "plaintext", "plain", "tree", "markdown", "md", "bash", "sh", "shell"})
SHELL_FENCES = frozenset({"", "bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "fish"})

# Top folders that hold what is made, fetched or private: not being there says nothing.
GENERATED_FOLDERS = listed(
    """
    node_modules dist build out target .venv venv coverage .next .nuxt .cache __pycache__ tmp .git .tox
    .mypy_cache .pytest_cache .turbo .terraform vendor_cache
    """
)

# Folders by which a path without backticks or ending is known as one.
USUAL_FOLDERS = listed("src lib app apps packages pkg cmd internal crates docs doc test tests scripts tools components")
MADE_ANYWHERE = listed("node_modules dist .venv venv __pycache__ .next .nuxt .cache .turbo .terraform coverage .git")

# The levels of Android that a Gradle build states, as pages spell them.
SDK_LEVELS = {f"{level}{between}sdk": f"{level}sdk" for level in ("target", "min", "compile") for between in (" ", "")}
# Products that pages name with a version -> who states it: a language's manifest, or a package of the project.
VERSIONED = {
    **SDK_LEVELS,
    "go": "go",
    "golang": "go",
    "node": "node",
    "node.js": "node",
    "nodejs": "node",
    "python": "python",
    "rust": "rust",
    "ruby": "ruby",
    "java": "java",
    "jdk": "java",
    "php": "php",
    "typescript": "package:typescript",
    "react": "package:react",
    "react native": "package:react-native",
    "next.js": "package:next",
    "nextjs": "package:next",
    "vue": "package:vue",
    "vue.js": "package:vue",
    "nuxt": "package:nuxt",
    "angular": "package:@angular/core",
    "svelte": "package:svelte",
    "nestjs": "package:@nestjs/core",
    "express": "package:express",
    "electron": "package:electron",
    "expo": "package:expo",
    "vite": "package:vite",
    "vitest": "package:vitest",
    "jest": "package:jest",
    "eslint": "package:eslint",
    "tailwind": "package:tailwindcss",
    "tailwind css": "package:tailwindcss",
    "tailwindcss": "package:tailwindcss",
    "prisma": "package:prisma",
    "zod": "package:zod",
    "astro": "package:astro",
    "rails": "package:rails",
    "ruby on rails": "package:rails",
    "django": "package:django",
    "pydantic": "package:pydantic",
}
