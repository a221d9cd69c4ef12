"""Meaning beside words: with an encoder of our own making, so that the laws are tested without the extra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

import tenure
from tenure.files import locate
from tenure.recall import encoders, vectors
from tenure.store import open_for_hook
from tenure.surfaces.cli import doctor, upkeep
from tenure.surfaces.hooks import place, prompt
from tenure.usecases import embeddings, team_replica, vocabulary

# Words of one meaning share a dimension.
DIMENSIONS = (("money", "cents", "amounts", "pennies"), ("images", "thumbnails", "pictures"), ("tests", "suite"))


class Toy:
    """An encoder that knows a handful of synonyms."""

    name = "toy"

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(any(word in text.lower() for word in group)) for group in DIMENSIONS] + [0.1] for text in texts]

    def words(self, most: int) -> list[str]:
        return [word for group in DIMENSIONS for word in group][:most]


class Other(Toy):
    name = "other"


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tenure.Workspace]:
    pytest.importorskip("numpy")
    use(monkeypatch, Toy())
    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as made:
        made.add("Money is kept in integer cents", id="money")
        made.add("Images are resized on demand", id="images")
        yield made
    vocabulary.forget()


def use(monkeypatch: pytest.MonkeyPatch, encoder: encoders.Encoder | None) -> None:
    vocabulary.forget()
    monkeypatch.setattr(embeddings, "encoder", lambda: encoder)


def test_a_paraphrase_that_shares_no_word_is_found(ws: tenure.Workspace) -> None:
    """Issue 7: what `tenure search` must show."""
    assert ws.search("which type for amounts") == []
    ws.upkeep()
    assert [hit.id for hit in ws.search("which type for amounts")] == ["money"]
    assert "meaning" in ws.search("which type for amounts")[0].why


def test_a_long_memory_is_as_near_as_its_best_passage(ws: tenure.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 18: texts of 10 to 600 words are first-class; the model reads about a hundred words at once."""
    filler = " ".join(f"step{n} goes on and on" for n in range(60))
    ws.add(f"Runbook of the night shift. {filler} Thumbnails are made last.", id="runbook")
    ws.add(f"Runbook of the day shift. {filler} Nothing else happens.", id="other")
    ws.upkeep()
    codes = ws.project.store.vectors.codes()
    assert [size // 4 for size in codes.sizes] == [1, 1, 4, 4]
    near = embeddings.near(ws.project.store, "who makes the pictures", "present")
    assert near is not None
    second, third, fourth = (near.of(number) or 0.0 for number in (2, 3, 4))
    assert third > 0.9 > fourth and second > 0.9
    assert {hit.id for hit in ws.search("who makes the pictures")[:2]} == {"images", "runbook"}
    # The hook reads the same vectors by single words.
    use(monkeypatch, None)
    gists = embeddings.gists(ws.project.store, "pictures", [3, 4])
    assert gists is not None and gists[3] > 0.9 > gists[4]


TEAM_FILE = "---\ntype: constraint\ntitle: {0}\ntenure:\n  state: provisional\n---\n\n{1}.\n"


def shares(ws: tenure.Workspace, folder: Path, **texts: str) -> None:
    """Let the project's team share files that a person here agreed to."""
    (folder / ".tenure" / "team").mkdir(parents=True)
    for name, text in texts.items():
        (folder / ".tenure" / "team" / f"{name}.md").write_text(TEAM_FILE.format(name, text))
    team_replica.agree(ws.project.place, ws.project.policy)


def test_what_the_team_shares_is_found_by_its_meaning_too(ws: tenure.Workspace, tmp_path: Path) -> None:
    """Issue 22: one ranking over all layers; upkeep makes the vectors of each of them."""
    shares(ws, tmp_path, shrunk="Pictures are shrunk on demand")
    ws.upkeep()
    found = ws.search("who makes the thumbnails")
    assert {hit.id for hit in found} == {"ours/shrunk", "images"}
    assert all("meaning" in hit.why for hit in found)
    assert "ours/shrunk" in [item.id for item in ws.inject("who makes the thumbnails").memories]


def test_a_hook_compares_what_the_team_shares_by_the_meaning_of_words(
    ws: tenure.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 22: hooks have no model; of two memories that a name brings, the one that says what is asked is first."""
    shares(
        ws,
        tmp_path,
        a_wrong="ledger-gateway resizes images at the edge",
        b_right="ledger-gateway keeps amounts as integers",
    )
    path = str(tmp_path / "memory.db")

    def answered() -> str:
        store = open_for_hook(path, lambda: False)
        try:
            beside = place.layers(str(tmp_path), path, lambda: False)
            return prompt.answer(store, path, "ledger-gateway: where do pennies go", "", "claude-code", beside)
        finally:
            store.close()

    ws.search("anything")
    assert answered().index("a_wrong") < answered().index("b_right"), "by their words alone they are alike"
    ws.upkeep()
    use(monkeypatch, None)
    assert answered().index("b_right") < (answered() + "a_wrong").index("a_wrong")


def test_a_very_long_memory_has_a_vector_for_its_beginning_and_its_end() -> None:
    """Our choice: what a text is about stands there, and a vector takes 384 bytes."""
    cut = embeddings.passages(" ".join(f"w{n}" for n in range(5000)))
    assert len(cut) == embeddings.FIRST_PASSAGES + embeddings.LAST_PASSAGES
    assert cut[0].startswith("w0 ") and cut[-1].endswith(" w4999")
    assert embeddings.passages("one two") == ["one two"]


def test_related_words_find_a_memory_without_an_encoder_at_hand(
    ws: tenure.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 7: the prompt hook uses meaning without a model; what can be prepared when writing is prepared then."""
    ws.upkeep()
    use(monkeypatch, None)
    assert [hit.id for hit in ws.search("thumbnails")] == ["images"]


def test_words_alone_are_compared_by_their_meaning_once_a_model_was_there(
    ws: tenure.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 7: the hook has no model; of two memories that a name brings, the one that says what is asked is first."""
    ws.add("ledger-gateway keeps amounts as integers", id="right")
    ws.add("ledger-gateway resizes images at the edge", id="wrong")
    ws.upkeep()
    use(monkeypatch, None)
    found = ws.search("ledger-gateway: where do pennies go")
    assert found[0].id == "right" and found[0].terms["gist"] > 0
    for file in locate.home().glob("words-*"):
        file.unlink()
    assert "gist" not in ws.search("ledger-gateway: where do pennies go")[0].terms
    use(monkeypatch, Toy())
    ws.upkeep()
    assert list(locate.home().glob("words-*.bin"))


def test_what_says_the_same_of_many_things_does_not_fill_all_places(ws: tenure.Workspace) -> None:
    """Our choice: a query that names nothing is answered by different sayings before it is by repeats of one."""
    for number in range(30):
        ws.add(f"service-{number} counts cents", id=f"money-{number}")
    ws.add("Images cost money to resize", id="both")
    ws.upkeep()
    found = ws.search("pictures and pennies", limit=5)
    assert {"both", "images"} & {hit.id for hit in found}
    assert "repeats" in found[-1].terms
    asked = ws.search("service-7: pennies", limit=5)
    assert asked[0].id == "money-7"


def test_a_vector_goes_with_the_text_it_was_made_of(ws: tenure.Workspace) -> None:
    """Issue 7: vectors are written in the same transaction; a lifecycle change keeps them, a new text does not."""
    ws.upkeep()
    ws.log("money", "positive", task="t")
    assert len(ws.project.store.vectors.codes().numbers) == 2
    ws.edit("money", text="The suite needs docker")
    assert len(ws.project.store.vectors.codes().numbers) == 1
    ws.upkeep()
    assert [hit.id for hit in ws.search("tests")] == ["money"]
    ws.forget("images")
    assert len(ws.project.store.vectors.codes().numbers) == 1
    assert ws.check() == []


def test_another_encoder_makes_all_vectors_anew(ws: tenure.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7: rebuilt when the model changes, and never compared with another model's."""
    ws.upkeep()
    use(monkeypatch, Other())
    assert "meaning" not in ws.search("which type for pictures")[0].terms
    ws.upkeep()
    assert (
        ws.project.store.vectors.encoder() == embeddings.made_by(Other())
        and len(ws.project.store.vectors.codes().numbers) == 2
    )


def test_an_encoder_that_breaks_leaves_the_words(ws: tenure.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7: the model file damaged: words only, a line in doctor, no error."""
    ws.upkeep()

    def broken() -> None:
        raise encoders.NoEncoder("The model is damaged.")

    monkeypatch.setattr(embeddings, "encoder", broken)
    assert [hit.id for hit in ws.search("integer")] == ["money"]
    assert embeddings.embed(ws.project.store) == 0
    assert "damaged" in embeddings.problem()


def test_doctor_and_upkeep_count_the_memories_without_a_vector(ws: tenure.Workspace) -> None:
    """A stranger's finding: `doctor` was content without a vector, and `upkeep` made them without a word."""
    assert doctor._meaning(ws.url) == "an encoder is installed; 2 memories have no vector yet: tenure upkeep"
    done = ws.upkeep()
    assert upkeep._page(done, dry_run=False) == "2 memories embedded for search by meaning."
    assert doctor._meaning(ws.url) == "an encoder is installed"
    assert upkeep._page(ws.upkeep(), dry_run=False) == "Nothing is due: 2 memories unchanged."
    ws.add("Queues are drained at night", id="queues")
    assert doctor._meaning(ws.url) == "an encoder is installed; 1 memory has no vector yet: tenure upkeep"


def test_a_search_does_not_wait_for_words_that_another_machine_prepared(ws: tenure.Workspace) -> None:
    """A store that was copied brings its vectors and not the model's words, which take upkeep half a minute."""
    ws.upkeep()
    for file in locate.home().glob("words-*"):
        file.unlink()
    vocabulary.forget()
    assert "meaning" not in ws.search("which type for amounts")[0].terms
    assert "tenure upkeep" in embeddings.unprepared(ws.project.store)
    steps: list[tuple[int, int]] = []
    ws.upkeep(progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] > 0
    assert embeddings.unprepared(ws.project.store) == ""
    assert "meaning" in ws.search("which type for amounts")[0].terms


def test_vectors_are_read_again_when_a_memory_changes_and_not_when_one_is_shown(ws: tenure.Workspace) -> None:
    """Issue 7: a running server answers in time; every prompt writes down what was shown, in another process."""
    ws.upkeep()
    before = ws.project.store.vectors.codes("eligible")
    with tenure.open(f"sqlite:{ws.project.store.place}", ws.project.place.project) as other:
        other.inject("integer cents")
        assert ws.project.store.vectors.codes("eligible") is before
        other.edit("images", text="The suite needs docker")
        assert len(ws.project.store.vectors.codes("eligible").numbers) == 1
        other.upkeep()
        assert len(ws.project.store.vectors.codes("eligible").numbers) == 2
        other.retire("images", reason="over")
        assert len(ws.project.store.vectors.codes("eligible").numbers) == 1
        assert ws.project.store.vectors.codes("eligible") is ws.project.store.vectors.codes("eligible")


def test_a_project_cannot_name_an_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our choice: a cloned project could otherwise send prompts anywhere."""
    monkeypatch.delenv("TENURE_ENCODER")
    (tmp_path / ".tenure").mkdir()
    (tmp_path / ".tenure" / "config.toml").write_text('encoder = "https://evil.example/v1"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(encoders, "installed", lambda: False)
    assert embeddings.encoder() is None
    locate.home().mkdir(parents=True, exist_ok=True)
    (locate.home() / "config.toml").write_text('encoder = "http://localhost:1/v1#m"\n')
    found = embeddings.encoder()
    assert found is not None and found.name == "http://localhost:1/v1#m"


@pytest.mark.parametrize("address", ["http://evil.example/v1#m", "https://evil.example/v1", "http://127.0.0.1:1/v1"])
def test_a_variable_cannot_name_an_endpoint(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """A breaker's finding: a clone's settings for an agent set variables, and one upkeep sent every memory away."""
    monkeypatch.setenv("TENURE_ENCODER", address)
    with pytest.raises(encoders.NoEncoder, match="TENURE_ENCODER"):
        embeddings.encoder()
    assert "config.toml" in embeddings.problem()
    locate.home().mkdir(parents=True, exist_ok=True)
    (locate.home() / "config.toml").write_text(f'encoder = "{address}"\n')
    found = embeddings.encoder()
    assert found is not None and found.name == address
    monkeypatch.setenv("TENURE_ENCODER", "none")
    assert embeddings.encoder() is None


def test_what_is_sent_in_the_clear_goes_through_no_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our choice: who sets variables could otherwise read what a server of this machine is asked."""
    seen: list[bytes] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_error(500)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Listener) as proxy:
        Thread(target=proxy.serve_forever, daemon=True).start()
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(encoders.NoEncoder):
            encoders.Endpoint("http://127.0.0.1:1/v1#m").encode(["what is nobody's"])
        proxy.shutdown()
    assert seen == []


def test_an_endpoint_that_does_not_answer_is_no_encoder() -> None:
    """Catch narrowly, at the edge: whatever the network does, recall goes on by words."""
    with pytest.raises(encoders.NoEncoder):
        encoders.Endpoint("file:///nowhere").encode(["x"])


def test_bytes_keep_the_order_of_cosines() -> None:
    """Facts: one signed byte per dimension costs nothing in quality."""
    pytest.importorskip("numpy")
    codes = vectors.quantised([[1.0, 0.0], [0.7, 0.7], [0.0, 1.0], [0.0, 0.0]])
    found = vectors.nearest(b"".join(codes), 2, [1.0, 0.1], 3)
    assert [position for position, _ in found] == [0, 1, 2]
    assert found[0][1] == pytest.approx(0.995, abs=0.01)
