"""An envelope verifies where its bytes are; every way to fail has its own reason and exit code."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from genconform.digest.envelope import KeyPair, generate, load_key, open_envelope
from genconform.digest.statement import PAYLOAD_TYPE, outcome_of, read_statement
from genconform.finding import CheckResult, Finding, Level, Verdict, report_of
from genconform.tree import Tree
from tests.conftest import CommandLine

NAME = "report.dsse.json"


@dataclass(frozen=True)
class Attested:
    """A folder with a bound tree, its report, and an envelope signed by the first key."""

    root: Path
    keys: Path
    envelope: Path
    verify: Callable[..., tuple[int, str, dict[str, list[str]]]]

    def key(self, number: int = 0) -> Path:
        return self.keys / f"{number}.pub"

    def statement(self) -> dict[str, Any]:
        payload = json.loads(self.envelope.read_text())["payload"]
        statement: dict[str, Any] = json.loads(base64.b64decode(payload))
        return statement

    def rewrite(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the statement and leave the signatures as they were."""
        envelope, statement = json.loads(self.envelope.read_text()), self.statement()
        change(statement)
        envelope["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
        self.envelope.write_text(json.dumps(envelope))


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for number, kind in enumerate(["ed25519", "ecdsa", "ed25519"]):
        pair: KeyPair = generate(kind)
        (folder / str(number)).write_bytes(pair.private)
        (folder / f"{number}.pub").write_bytes(pair.public)
    return folder


@pytest.fixture(scope="session")
def original(
    tree: Tree,
    genconform_here: CommandLine,
    key_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A small tree, bound, checked and attested."""
    root = tmp_path_factory.mktemp("original")
    for name in ("spec/lifecycle.yaml", "spec/rules.yaml"):
        (root / "spec").mkdir(exist_ok=True)
        shutil.copy(tree.path(name), root / name)
    (root / "mutations").mkdir()
    (root / "mutations" / "one.yaml").write_text("suite: one\n")
    assert genconform_here("digest", "bind", "--root", root).returncode == 0
    report = root / "report.json"
    checked = ["validate-all", "--only", "digests", "--root", root, "--no-cache"]
    assert genconform_here(*checked, "--format", "json", "--output", report).returncode == 0
    attest(genconform_here, root, "--key", key_folder / "0")
    return root


def attest(genconform_here: CommandLine, root: Path, *more: str | Path) -> None:
    done = genconform_here(
        "digest", "attest", root / "report.json", "--out", root / NAME, "--root", root, *more
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def attested(
    original: Path, key_folder: Path, genconform_here: CommandLine, tmp_path: Path
) -> Attested:
    """The folder moved elsewhere, to verify and to break."""
    root = tmp_path / "moved"
    shutil.copytree(original, root)

    def verify(*arguments: str | Path) -> tuple[int, str, dict[str, list[str]]]:
        command = ["digest", "verify", root / NAME, "--root", root, *arguments]
        text = genconform_here(*command)
        read = genconform_here(*command, "--format", "json")
        assert text.returncode == read.returncode
        rules = {
            check["id"]: [finding["rule"] for finding in check["findings"]]
            for check in json.loads(read.stdout)["checks"]
            if check["findings"]
        }
        return text.returncode, text.stdout, rules

    return Attested(root, key_folder, root / NAME, verify)


def warnings(original: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without the warning that some checks were left out of the attested run."""
    return {check: rules for check, rules in original.items() if check != "statement"}


def test_a_moved_folder_verifies_and_each_subject_is_listed(attested: Attested) -> None:
    code, text, rules = attested.verify("--key", attested.key())
    assert (code, warnings(rules)) == (0, {})
    for name in ("report.json", "manifest.json", "spec/lifecycle.yaml", "mutations/one.yaml"):
        assert f"PASSED  subject {name}  sha256:" in text
    assert "PASSED  signatures" in text
    assert text.splitlines()[-1].startswith("PASSED: ")


def test_without_a_key_the_signature_is_not_claimed(attested: Attested) -> None:
    code, text, _ = attested.verify()
    assert code == 0
    assert "SKIPPED  signatures  signed by " in text
    assert "1 not looked at" in text.splitlines()[-1]


def test_an_unsigned_statement_says_that_anybody_could_have_written_it(
    attested: Attested, genconform_here: CommandLine
) -> None:
    attest(genconform_here, attested.root)
    assert json.loads(attested.envelope.read_text())["signatures"] == []
    code, text, _ = attested.verify()
    assert code == 0
    assert "NOT APPLICABLE  signatures  not signed" in text


def test_one_changed_byte_of_any_subject_is_named(attested: Attested) -> None:
    names = [subject["name"] for subject in attested.statement()["subject"]]
    for name in names:
        path = attested.root / name
        before = path.read_bytes()
        path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        code, text, rules = attested.verify("--key", attested.key())
        assert (code, warnings(rules)) == (1, {f"subject {name}": ["digest.subject.changed"]})
        assert f"FAILED  subject {name}\n" in text
        path.write_bytes(before)
    assert len(names) == 5


def test_two_swapped_subjects_are_told_from_changed_ones(attested: Attested) -> None:
    one, two = attested.root / "spec/lifecycle.yaml", attested.root / "spec/rules.yaml"
    contents = one.read_bytes(), two.read_bytes()
    one.write_bytes(contents[1])
    two.write_bytes(contents[0])
    code, text, rules = attested.verify("--key", attested.key())
    assert code == 1
    assert warnings(rules) == {
        "subject spec/lifecycle.yaml": ["digest.subject.swapped"],
        "subject spec/rules.yaml": ["digest.subject.swapped"],
    }
    assert "the bytes of another subject, spec/rules.yaml" in text


def test_digests_swapped_inside_the_statement_break_its_signature(attested: Attested) -> None:
    def swap(statement: dict[str, Any]) -> None:
        one, two = statement["subject"][-2:]
        one["digest"], two["digest"] = two["digest"], one["digest"]

    attested.rewrite(swap)
    code, _, rules = attested.verify("--key", attested.key())
    assert code == 1
    assert rules["signatures"] == ["digest.signature.invalid"]
    assert sum(found == ["digest.subject.swapped"] for found in rules.values()) == 2


def test_a_missing_subject(attested: Attested) -> None:
    (attested.root / "mutations/one.yaml").unlink()
    code, _, rules = attested.verify("--key", attested.key())
    assert (code, rules["subject mutations/one.yaml"]) == (1, ["digest.subject.missing"])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_envelope_is_malformed(attested: Attested, share: float) -> None:
    data = attested.envelope.read_bytes()
    attested.envelope.write_bytes(data[: int(len(data) * share)])
    code, text, rules = attested.verify("--key", attested.key())
    assert (code, rules) == (3, {"envelope": ["digest.envelope.malformed"]})
    assert text.startswith("FAILED  envelope\n")


def test_a_wrong_key(attested: Attested) -> None:
    code, text, rules = attested.verify("--key", attested.key(2))
    assert (code, rules["signatures"]) == (1, ["digest.signature.unknown"])
    assert f"expected 1 of {load_key(attested.key(2)).keyid}" in text
    assert f"actual   {load_key(attested.key(0)).keyid}" in text


def test_a_signature_by_another_key_under_the_wanted_name(attested: Attested) -> None:
    """The key id stands outside of what is signed, so anybody may write it."""
    envelope = json.loads(attested.envelope.read_text())
    envelope["signatures"][0]["keyid"] = load_key(attested.key(2)).keyid
    attested.envelope.write_text(json.dumps(envelope))
    code, _, rules = attested.verify("--key", attested.key(2))
    assert (code, rules["signatures"]) == (1, ["digest.signature.invalid"])


def test_a_stripped_signature(attested: Attested) -> None:
    envelope = json.loads(attested.envelope.read_text())
    attested.envelope.write_text(json.dumps({**envelope, "signatures": []}))
    code, _, rules = attested.verify("--key", attested.key())
    assert (code, rules["signatures"]) == (1, ["digest.signature.missing"])


def test_a_threshold(attested: Attested, genconform_here: CommandLine) -> None:
    both = ["--key", attested.key(0), "--key", attested.key(1)]
    code, _, rules = attested.verify(*both, "--threshold", "2")
    assert (code, rules["signatures"]) == (1, ["digest.signature.threshold"])
    keys = [attested.keys / "0", attested.keys / "1"]
    attest(genconform_here, attested.root, "--key", keys[0], "--key", keys[1])
    assert attested.verify(*both, "--threshold", "2")[0] == 0


def test_the_same_key_twice_counts_once(attested: Attested, genconform_here: CommandLine) -> None:
    key = attested.key()
    done = genconform_here(
        *("digest", "verify", attested.envelope, "--root", attested.root),
        *("--key", key, "--key", key, "--threshold", "2"),
    )
    assert done.returncode == 2
    assert "2 signatures are wanted of 1 keys" in done.stderr


def test_signatures_pass_only_where_the_library_says_so(attested: Attested) -> None:
    envelope = open_envelope(attested.envelope.read_bytes(), NAME)
    key = load_key(attested.key())
    assert envelope.verify([key], 1) == {key.keyid: key}


def test_a_statement_that_denies_its_report(attested: Attested) -> None:
    def embellish(statement: dict[str, Any]) -> None:
        statement["predicate"] = {"result": "PASSED", "configuration": [], "passedTests": ["lean"]}

    attested.rewrite(embellish)
    code, _, rules = attested.verify()
    assert (code, rules) == (1, {"statement": ["digest.statement.disagrees"]})


def test_a_run_with_checks_left_out_is_not_attested_as_passed(attested: Attested) -> None:
    assert attested.statement()["predicate"]["result"] == "WARNED"
    assert attested.verify()[2] == {"statement": ["digest.statement.verdict"]}


@pytest.mark.parametrize(
    ("broken", "arguments", "code", "rule"),
    [
        (lambda it: None, ["--key", "0"], 0, "PASSED"),
        (lambda it: it.envelope.write_bytes(b"{"), ["--key", "0"], 3, "digest.envelope.malformed"),
        (lambda it: None, ["--key", "2"], 1, "digest.signature.unknown"),
        (lambda it: (it.root / "report.json").unlink(), [], 1, "digest.subject.missing"),
        (lambda it: None, ["--threshold", "2"], 2, "--threshold"),
    ],
)
def test_the_exit_codes_of_the_command(
    attested: Attested,
    genconform: CommandLine,
    broken: Callable[[Attested], object],
    arguments: list[str],
    code: int,
    rule: str,
) -> None:
    broken(attested)
    if arguments[:1] == ["--key"]:
        arguments = ["--key", str(attested.key(int(arguments[1])))]
    done = genconform("digest", "verify", attested.envelope, "--root", attested.root, *arguments)
    assert done.returncode == code
    assert rule in done.stdout + done.stderr


# Names that lead elsewhere


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "spec/../../secret",
        "/etc/hostname",
        "spec//rules.yaml",
        "./spec/rules.yaml",
        "spec/",
        "a\x1b[2Jb",
        "a\0b",
        "\u202egpj",
        "link",
        "folder/secret",
        "mutations/loop",
        "mutations",
        "pipe",
    ],
)
def test_no_name_leads_out_of_the_root(attested: Attested, name: str) -> None:
    (attested.root.parent / "secret").write_text("secret")
    (attested.root / "link").symlink_to(attested.root / "spec/rules.yaml")
    (attested.root / "folder").symlink_to(attested.root.parent, target_is_directory=True)
    (attested.root / "mutations/loop").symlink_to("loop")
    os.mkfifo(attested.root / "pipe")

    def point(statement: dict[str, Any]) -> None:
        statement["subject"][-1]["name"] = name

    attested.rewrite(point)
    code, text, rules = attested.verify()
    assert code == 1
    assert [found for check, found in rules.items() if check != "statement"] == [
        ["digest.subject.unsafe"]
    ]
    assert text.replace("\n", "").isprintable()


def test_a_subject_that_may_not_be_read(attested: Attested, genconform_here: CommandLine) -> None:
    """A socket is there and cannot be opened, even by an administrator."""
    path = attested.root / "mutations/one.yaml"
    path.unlink()
    with socket.socket(socket.AF_UNIX) as server:
        with contextlib.chdir(path.parent):
            server.bind(path.name)
        code, _, rules = attested.verify()
    assert (code, rules["subject mutations/one.yaml"]) == (1, ["digest.subject.unreadable"])


# Malformed and unsupported


def _twice(statement: dict[str, Any]) -> None:
    statement["subject"].append(statement["subject"][0])


@pytest.mark.parametrize(
    "change",
    [
        lambda statement: statement.update(_type="https://in-toto.io/Statement/v0.1"),
        lambda statement: statement.update(subject=[]),
        lambda statement: statement.update(subject=3),
        lambda statement: statement.update(predicate=None),
        lambda statement: statement.update(predicate={"result": 3}),
        lambda statement: statement["subject"][0].pop("digest"),
        lambda statement: statement["subject"][0].pop("name"),
        lambda statement: statement["subject"][0].update(digest={"md5": "0" * 32}),
        lambda statement: statement["subject"][0].update(digest={"sha256": "F" * 64}),
        _twice,
    ],
)
def test_what_is_no_statement_is_malformed(
    attested: Attested, change: Callable[[dict[str, Any]], object]
) -> None:
    attested.rewrite(change)
    code, _, rules = attested.verify()
    assert (code, rules) == (3, {"envelope": ["digest.envelope.malformed"]})


@pytest.mark.parametrize(
    "change",
    [
        {"payload": "!"},
        {"payload": "W10="},
        {"payload": 3},
        {"signatures": 3},
        {"signatures": [{"sig": ""}]},
        {"signatures": [{"keyid": "a", "sig": ""}, {"keyid": "a", "sig": ""}]},
        {"payloadType": None},
    ],
)
def test_what_is_no_envelope_is_malformed(attested: Attested, change: dict[str, Any]) -> None:
    envelope = json.loads(attested.envelope.read_text())
    attested.envelope.write_text(json.dumps({**envelope, **change}))
    code, _, rules = attested.verify()
    assert (code, rules) == (3, {"envelope": ["digest.envelope.malformed"]})


@pytest.mark.parametrize("text", ["", "[]", "{}", "a: 1", '{"payload": "", "payload": ""}'])
def test_what_is_no_json_object_is_malformed(attested: Attested, text: str) -> None:
    attested.envelope.write_text(text)
    code, _, rules = attested.verify()
    assert (code, rules) == (3, {"envelope": ["digest.envelope.malformed"]})


def test_another_predicate_or_payload_is_unsupported(attested: Attested) -> None:
    original = attested.envelope.read_text()
    attested.rewrite(lambda statement: statement.update(predicateType="https://slsa.dev/x"))
    unsupported = (4, {"envelope": ["digest.envelope.unsupported"]})
    code, _, rules = attested.verify()
    assert (code, rules) == unsupported
    attested.envelope.write_text(original.replace(PAYLOAD_TYPE, "text/plain"))
    code, _, rules = attested.verify()
    assert (code, rules) == unsupported


def test_unknown_fields_of_a_statement_are_ignored(attested: Attested) -> None:
    attested.rewrite(lambda statement: statement.update(more={"a": [1]}))
    assert attested.verify()[0] == 0


# Artifacts that the user brings


@pytest.fixture
def elsewhere(attested: Attested, genconform_here: CommandLine, tmp_path: Path) -> CommandLine:
    """Verifies in a folder that holds none of the subjects."""
    (tmp_path / "empty").mkdir()

    def run(*arguments: str | Path, **_: Any) -> subprocess.CompletedProcess[str]:
        return genconform_here(
            "digest", "verify", attested.envelope, *arguments, cwd=tmp_path / "empty"
        )

    return run


def test_detached_files_and_digests_stand_for_their_subjects(
    attested: Attested, elsewhere: CommandLine
) -> None:
    report = attested.root / "report.json"
    digest = next(
        subject["digest"]["sha256"]
        for subject in attested.statement()["subject"]
        if subject["name"] == "spec/rules.yaml"
    )
    done = elsewhere(report, f"sha256:{digest}")
    assert done.returncode == 0
    assert "PASSED  subject report.json" in done.stdout
    assert "PASSED  subject spec/rules.yaml" in done.stdout
    assert "SKIPPED  other subjects" in done.stdout


def test_a_detached_file_completes_a_root(attested: Attested, elsewhere: CommandLine) -> None:
    report = (attested.root / "report.json").rename(attested.root.parent / "report.json")
    root = ["--root", attested.root]
    assert elsewhere(*root).returncode == 1
    assert elsewhere(report, *root).returncode == 0


def test_a_detached_file_completes_the_installed_tree(elsewhere: CommandLine) -> None:
    """Which is not the one that was attested, so its lifecycle table alone has the same bytes."""
    done = elsewhere("sha256:" + "0" * 64, "--installed")
    assert "PASSED  subject spec/lifecycle.yaml" in done.stdout
    assert "digest.subject.missing" in done.stdout
    assert elsewhere("--installed", "--root", ".").returncode == 2


def test_a_detached_file_with_other_bytes(attested: Attested, elsewhere: CommandLine) -> None:
    report = attested.root / "report.json"
    report.write_text(report.read_text() + " ")
    done = elsewhere(report)
    assert done.returncode == 1
    assert "digest.subject.changed" in done.stdout


def test_a_detached_file_under_the_name_of_another(
    attested: Attested, elsewhere: CommandLine
) -> None:
    swapped = attested.root.parent / "report.json"
    shutil.copy(attested.root / "manifest.json", swapped)
    done = elsewhere(swapped)
    assert done.returncode == 1
    assert "digest.subject.swapped" in done.stdout


def test_what_is_no_subject_fails(attested: Attested, elsewhere: CommandLine) -> None:
    done = elsewhere("sha256:" + "0" * 64)
    assert done.returncode == 1
    assert "digest.subject.foreign" in done.stdout


# Usage


@pytest.mark.parametrize(
    "arguments",
    [
        ["--key", "nope.pub"],
        ["--key", "report.json"],
        ["--threshold", "2"],
        ["--threshold", "0"],
        ["--root", "nope"],
        ["sha256:abc"],
        ["nope.json"],
    ],
)
def test_wrong_usage_exits_2(
    attested: Attested, genconform_here: CommandLine, arguments: list[str]
) -> None:
    done = genconform_here("digest", "verify", NAME, *arguments, cwd=attested.root)
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_private_key_does_not_verify_nor_a_public_one_sign(
    attested: Attested, genconform_here: CommandLine
) -> None:
    private = attested.keys / "0"
    done = genconform_here("digest", "verify", NAME, "--key", private, cwd=attested.root)
    assert done.returncode == 2
    done = genconform_here(
        *("digest", "attest", "report.json", "--root", ".", "--out", "x", "--key", attested.key()),
        cwd=attested.root,
    )
    assert done.returncode == 2
    assert "no private key" in done.stderr
    assert not (attested.root / "x").exists()


def test_keygen_keeps_the_private_half_private_and_overwrites_nothing(
    genconform_here: CommandLine, tmp_path: Path
) -> None:
    assert genconform_here("digest", "keygen", "--out", tmp_path / "k").returncode == 0
    assert (tmp_path / "k").stat().st_mode & 0o077 == 0
    before = (tmp_path / "k").read_bytes()
    assert genconform_here("digest", "keygen", "--out", tmp_path / "k").returncode == 2
    (tmp_path / "k.pub").unlink()
    assert genconform_here("digest", "keygen", "--out", tmp_path / "k").returncode == 2
    assert (tmp_path / "k").read_bytes() == before


# Attesting


def test_a_tree_that_changed_since_it_was_bound_is_not_attested(
    attested: Attested, genconform_here: CommandLine
) -> None:
    (attested.root / "mutations/one.yaml").write_text("suite: two\n")
    done = genconform_here(
        *("digest", "attest", "report.json", "--root", ".", "--out", "x"), cwd=attested.root
    )
    assert done.returncode == 1
    assert "mutations/one.yaml" in done.stderr
    assert not (attested.root / "x").exists()


def test_what_is_no_report_is_not_attested(
    attested: Attested, genconform_here: CommandLine
) -> None:
    done = genconform_here(
        *("digest", "attest", "manifest.json", "--root", ".", "--out", "x"), cwd=attested.root
    )
    assert done.returncode == 3
    assert "--format json" in done.stderr


def test_traces_and_models_can_be_subjects(
    attested: Attested, genconform_here: CommandLine, tmp_path: Path
) -> None:
    traces = tmp_path / "traces"
    (traces / "deep").mkdir(parents=True)
    (traces / "deep" / "a.trace.jsonl").write_text("{}\n")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    attest(
        genconform_here,
        attested.root,
        *("--subject", traces, "--subject", tmp_path / "model.safetensors"),
    )
    names = {subject["name"] for subject in attested.statement()["subject"]}
    assert {"traces/deep/a.trace.jsonl", "model.safetensors"} <= names


def test_two_files_of_one_name_are_refused(
    attested: Attested, genconform_here: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "report.json").write_text("{}")
    done = genconform_here(
        *("digest", "attest", "report.json", "--root", ".", "--out", "x"),
        *("--subject", tmp_path / "report.json"),
        cwd=attested.root,
    )
    assert done.returncode == 2
    assert "two different files" in done.stderr


def test_a_statement_is_the_same_bytes_in_every_folder_and_locale(
    attested: Attested, genconform: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (attested.root / "mutations" / "ü.yaml").write_text("suite: u\n")
    genconform("digest", "bind", "--root", attested.root)
    attest(genconform, attested.root, "--key", attested.keys / "0")
    signed = attested.envelope.read_bytes()
    other = attested.root.rename(tmp_path / "other")
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}.items():
        monkeypatch.setenv(name, value)
    attest(genconform, other, "--key", attested.keys / "0")
    assert (other / NAME).read_bytes() == signed
    done = genconform("digest", "verify", other / NAME, "--root", other, "--key", attested.key())
    assert done.returncode == 0
    assert "PASSED  subject mutations/ü.yaml" in done.stdout


def test_the_report_is_the_first_subject(attested: Attested) -> None:
    envelope = open_envelope(attested.envelope.read_bytes(), NAME)
    statement = read_statement(envelope.payload, NAME)
    assert statement.subjects[0].name == "report.json"
    assert any(tool.uri.startswith("pkg:pypi/genconform@") for tool in statement.tools)


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.PASS}))
def test_nothing_but_a_pass_of_every_check_is_attested_as_passed(verdict: Verdict) -> None:
    passed = CheckResult("a", Verdict.PASS, {})
    assert outcome_of(report_of([passed])).result == "PASSED"
    left_out = verdict in {Verdict.SKIPPED, Verdict.NOT_APPLICABLE}
    outcome = outcome_of(report_of([passed, CheckResult("b", verdict, {})]))
    assert outcome.result == ("WARNED" if left_out else "FAILED")
    strict = outcome_of(report_of([passed, CheckResult("b", verdict, {})], strict=True))
    assert strict.result != "PASSED"


def test_a_warning_is_attested_as_one() -> None:
    finding = Finding("r", Level.WARNING, "m")
    outcome = outcome_of(report_of([CheckResult("a", Verdict.PASS, {}, (finding,))]))
    assert (outcome.result, outcome.warned) == ("WARNED", ("a",))
