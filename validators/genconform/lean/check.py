"""The check `lean`: every module, every claim, its axioms, and agreement with the machine."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import UNSET

from genconform import lifecycle
from genconform.context import Context
from genconform.finding import CheckResult, Finding, Level, Location, Verdict, verdict_of
from genconform.lean import agreement, cache
from genconform.lean.build import Build, Compiled, Message, Outcome, Progress
from genconform.lean.certificate import MODULE, Certificate, certify
from genconform.lean.claims import (
    ALLOWED_AXIOMS,
    REGISTRY_PATH,
    Audit,
    Registry,
    Source,
    audit_of,
    axioms_found,
    load_registry,
    proving_module,
    unlisted,
    unstated,
)
from genconform.lean.package import (
    EMBEDDED,
    FOLDER,
    INIT,
    ROOT,
    TOOLCHAIN_FILE,
    Module,
    load_modules,
    reachable,
    refusals,
)
from genconform.lean.settings import settings_files, settings_findings
from genconform.lean.toolchain import (
    INIT_SHA256,
    Toolchain,
    ToolchainMissing,
    ToolchainRefused,
    find_toolchain,
)
from genconform.tree import Tree

CHECK_ID = "lean"
_SHOWN_CHARACTERS = 600


def run(context: Context) -> CheckResult:
    """The check as `validate-all` runs it: silent until it is done, and then brief."""
    return brief(run_with_progress(context, _silent))


def run_with_progress(context: Context, progress: Progress) -> CheckResult:
    """Check the tree's package, or remember how the same sources fared.

    Only a pass is remembered, under a digest of every file that it rests on and of the toolchain.
    """
    try:
        toolchain = find_toolchain(context.tree.path(FOLDER), use_cache=context.cache)
    except (ToolchainMissing, ToolchainRefused) as error:
        finding = Finding(error.rule, Level.ERROR, error.diagnostics())
        return CheckResult(CHECK_ID, Verdict.UNSUPPORTED, {}, (finding,))
    key = cache.key_of("result", toolchain.fingerprint, *_fingerprints(context.tree))
    known = _remembered(key) if context.cache else None
    if known is not None:
        return known
    with TemporaryDirectory(prefix="genconform-lean-") as folder:
        if not toolchain.embedded:
            # Tells elan, which stands in for `lean`, which of its toolchains is meant.
            shutil.copy(context.tree.path(TOOLCHAIN_FILE), folder)
        result = check(context.tree, Build(toolchain, Path(folder)), context.jobs, progress)
    if result.verdict is Verdict.PASS:
        cache.store(key, msgspec.json.encode(result))
    return result


def brief(result: CheckResult) -> CheckResult:
    """The result without the list of axioms by theorem, which is for programs to read."""
    findings = tuple(
        msgspec.structs.replace(finding, actual=None) if finding.level is Level.NOTE else finding
        for finding in result.findings
    )
    return msgspec.structs.replace(result, findings=findings)


def check(tree: Tree, build: Build, jobs: int, progress: Progress) -> CheckResult:
    """Check the tree's package in a build folder, which is empty unless a test has filled it."""
    modules = load_modules(tree.path(FOLDER), ROOT, FOLDER)
    registry, certificate = load_registry(), certify()
    init = load_modules(tree.path(EMBEDDED), INIT, EMBEDDED)
    findings = [
        *settings_findings(tree),
        *_init_findings(init),
        *_source_findings(modules),
        *_claim_findings(registry, modules),
    ]
    written = modules.get(MODULE)
    findings += agreement.staleness(written.text if written else None, certificate)

    # A stock toolchain brings an Init of its own.
    first = build.compile(init, jobs, progress) if build.toolchain.embedded else []
    compiled = first + build.compile(modules, jobs, progress)
    for each in compiled:
        findings += _module_findings(each, build, certificate)
    usable = {each.module.name for each in compiled if build.compiled(each.module.name).exists()}
    audited = _audit(registry, modules, usable, build)
    progress(f"audited {len(audited.axioms)} statements")
    findings += audited.findings
    findings.append(_note(build.toolchain, audited))
    counts = _counts(registry, certificate, compiled, audited)
    verdict = verdict_of(findings, len(audited.axioms))
    # Only of a certificate that the kernel has gone through can be said what Lean's routes are.
    certified = MODULE in usable and written is not None and written.text == certificate.render()
    return CheckResult(
        CHECK_ID,
        verdict,
        counts,
        tuple(findings),
        build.toolchain.description,
        {"hits": certificate.hits()} if certified else UNSET,
    )


# --- gates on the sources --------------------------------------------------------------------


def _init_findings(init: dict[str, Module]) -> Iterator[Finding]:
    found = cache.key_of(*(part for module in init.values() for part in (module.path, module.text)))
    if found != INIT_SHA256:
        yield Finding(
            "lean.init.changed",
            Level.ERROR,
            "the small Init is not the one that was reviewed, and everything rests on its "
            "definitions. Once the change is reviewed, pin it in toolchain.py",
            Location(f"{EMBEDDED}/{INIT}.lean"),
            expected=INIT_SHA256,
            actual=found,
        )


def _source_findings(modules: dict[str, Module]) -> Iterator[Finding]:
    for module in modules.values():
        for line, text in module.strange_imports():
            yield _import_finding(module, line, text)
        for name in module.imports:
            if name not in modules:
                yield _import_finding(module, None, name)
        for refusal in refusals(module):
            yield Finding(
                refusal.rule,
                Level.ERROR,
                f"the source says {refusal.word!r}, which no checked source may say",
                refusal.location,
            )
    for name in sorted(set(modules) - reachable(modules, ROOT)):
        yield Finding(
            "lean.module.unimported",
            Level.ERROR,
            "the root does not import the module, so whoever imports the package goes without it",
            Location(modules[name].path),
            expected=f"an import that leads from {ROOT} to {name}",
        )


def _import_finding(module: Module, line: int | None, found: str) -> Finding:
    return Finding(
        "lean.module.import",
        Level.ERROR,
        "a module imports modules of this package, each on a line of its own, and nothing else",
        Location(module.path, line=line),
        expected="import and the name of a module of this package",
        actual=found,
    )


def _claim_findings(registry: Registry, modules: dict[str, Module]) -> Iterator[Finding]:
    listed = {claim.name for claim in registry.claims}
    for name, module in unlisted(registry, modules):
        path = modules[module].path if module in modules else FOLDER
        missing = path if name in listed else REGISTRY_PATH
        yield Finding(
            "lean.claim.unlisted",
            Level.ERROR,
            f"the claim {name} stands on one side alone; it is missing from {missing}",
            Location(path),
            expected=f"the claim in {module} and in {REGISTRY_PATH}",
        )
    for name, module in unstated(registry, modules):
        yield Finding(
            "lean.word.unstated",
            Level.ERROR,
            f"the definition {name} could mean anything; {REGISTRY_PATH} does not restate it",
            Location(modules[module].path),
            expected=f"the word {name} of {module} in {REGISTRY_PATH}",
        )
    for source in registry.sources:
        for claim in source.claims:
            if not claim.proof and proving_module(modules, claim, source) is None:
                yield Finding(
                    "lean.claim.unproved",
                    Level.ERROR,
                    f"no module has a theorem for the claim {claim.name}",
                    Location(FOLDER),
                    expected=f"a theorem {source.namespace}.{claim.theorem}",
                )


# --- what Lean says --------------------------------------------------------------------------


def _module_findings(
    compiled: Compiled, build: Build, certificate: Certificate
) -> Iterable[Finding]:
    """What a module's outcome shows; of the certificate, where it differs, if that can be said."""
    module, outcome = compiled.module, compiled.outcome
    if outcome is None:
        return ()
    if module.name == MODULE:
        located = [*agreement.disagreements(build, module.text, outcome.errors, certificate)]
        if located:
            return located
    return _outcome_findings(module.path, outcome)


def _outcome_findings(path: str, outcome: Outcome) -> Iterator[Finding]:
    for message in outcome.messages:
        rule = "lean.compile" if message.severity == "error" else "lean.message"
        yield Finding(
            rule, Level.ERROR, _shortened(message.text), Location(path, line=message.line)
        )
    if outcome.stray:
        yield Finding("lean.message", Level.ERROR, _shortened(outcome.stray), Location(path))
    if outcome.exit_code != 0 and not outcome.errors:
        yield Finding(
            "lean.compile",
            Level.ERROR,
            "Lean ended without success and named no error",
            Location(path),
            expected="exit code 0",
            actual=_ending(outcome.exit_code),
        )


def _ending(exit_code: int) -> str:
    """An exit code in words; a negative one is the signal by which somebody ended the process."""
    known = -exit_code in {one.value for one in signal.Signals}
    return f"ended by {signal.Signals(-exit_code).name}" if known else f"exit code {exit_code}"


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else flat[:_SHOWN_CHARACTERS] + " …"


# --- claims and axioms -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Audited:
    """The axioms of each statement that was proved, and what is wrong with the others."""

    axioms: dict[str, tuple[str, ...]]
    findings: tuple[Finding, ...]


def _audit(
    registry: Registry, modules: dict[str, Module], usable: set[str], build: Build
) -> _Audited:
    provable = _provable(registry, modules, usable)
    imports = [ROOT] if ROOT in usable else sorted(usable & set(modules))
    if not any(source.claims or source.words for source in provable.sources):
        return _Audited({}, ())
    audit = audit_of(provable, imports)
    outcome = build.run_text("Audit", audit.text)
    axioms = axioms_found(audit, outcome)
    return _Audited(axioms, tuple(_audit_findings(provable, audit, outcome, axioms)))


def _provable(registry: Registry, modules: dict[str, Module], usable: set[str]) -> Registry:
    """The registry without the claims whose modules did not compile; those are found already."""

    def kept(source: Source) -> Source:
        claims = tuple(
            claim for claim in source.claims if proving_module(modules, claim, source) in usable
        )
        words = source.words if source.module in usable else ()
        return msgspec.structs.replace(source, claims=claims, words=words)

    return msgspec.structs.replace(registry, sources=tuple(map(kept, registry.sources)))


def _audit_findings(
    registry: Registry, audit: Audit, outcome: Outcome, axioms: dict[str, tuple[str, ...]]
) -> Iterator[Finding]:
    errors: dict[str, Message] = {}
    for message in outcome.errors:
        errors.setdefault(audit.subject(message.line), message)
    for source in registry.sources:
        for claim in (*source.words, *source.claims):
            location = Location(f"lean/{source.module.replace('.', '/')}.lean")
            if claim.name in errors:
                yield Finding(
                    "lean.claim.weakened",
                    Level.ERROR,
                    f"the package does not prove {claim.name} as {REGISTRY_PATH} states it",
                    location,
                    expected=" ".join(claim.statement.split()),
                    actual=_shortened(errors[claim.name].text),
                )
            elif claim.name not in axioms:
                yield _axiom_finding(claim.name, location, "no answer")
            elif not set(axioms[claim.name]) <= ALLOWED_AXIOMS:
                yield _axiom_finding(claim.name, location, ", ".join(axioms[claim.name]))
    if outcome.stray or (outcome.exit_code != 0 and not outcome.errors):
        yield from _outcome_findings("Audit.lean", Outcome(outcome.exit_code, (), outcome.stray, 0))


def _axiom_finding(name: str, location: Location, actual: str) -> Finding:
    return Finding(
        "lean.axioms",
        Level.ERROR,
        f"the proof of {name} rests on more than is allowed",
        location,
        expected="no axiom but " + ", ".join(sorted(ALLOWED_AXIOMS)),
        actual=actual,
    )


# --- the result ------------------------------------------------------------------------------


def _note(toolchain: Toolchain, audited: _Audited) -> Finding:
    used = {name for axioms in audited.axioms.values() for name in axioms}
    axioms = f"the axioms {', '.join(sorted(used))}" if used else "no axiom"
    proofs = f"the proofs use {axioms}" if audited.axioms else "no proof could be asked for axioms"
    return Finding(
        "lean.trust",
        Level.NOTE,
        f"checked by {toolchain.description}; {proofs}",
        actual={name: list(axioms) for name, axioms in audited.axioms.items()},
    )


def _counts(
    registry: Registry, certificate: Certificate, compiled: list[Compiled], audited: _Audited
) -> dict[str, int]:
    claims = {claim.name for claim in registry.claims}
    clean = sum(each.outcome is not None and each.outcome.clean for each in compiled)
    return {
        "modules": len(compiled),
        "modules_clean": clean,
        "theorems": len(claims & set(audited.axioms)),
        "theorems_with_axioms": sum(bool(audited.axioms.get(name)) for name in claims),
        "agreement_theorems": len(certificate.theorems),
        **{f"agreement_{name}": count for name, count in certificate.cases().items()},
        "agreement_states": sum(len(theorem.cases) for theorem in certificate.states),
    }


# --- remembering -----------------------------------------------------------------------------


def _fingerprints(tree: Tree) -> Iterator[str]:
    """The path and the text of every file that the result rests on."""
    for module in (
        *load_modules(tree.path(EMBEDDED), INIT, EMBEDDED).values(),
        *load_modules(tree.path(FOLDER), ROOT, FOLDER).values(),
    ):
        yield module.path
        yield module.text
    for path, text in settings_files(tree):
        yield path
        yield text
    checker, machine = Path(__file__).parent, Path(lifecycle.__file__).parent
    for base, pattern in (
        (checker, "*.py"),
        (checker, "*.yaml"),
        (machine, "*.py"),
    ):
        for file in sorted(base.rglob(pattern)):
            yield file.relative_to(base).as_posix()
            yield file.read_text(encoding="utf-8", errors="replace")


def _remembered(key: str) -> CheckResult | None:
    stored = cache.load(key)
    if stored is None:
        return None
    try:
        result = msgspec.json.decode(stored, type=CheckResult)
    except msgspec.DecodeError:
        return None
    return result if result.verdict is Verdict.PASS else None


def _silent(_: str) -> None:
    """Progress for nobody."""
