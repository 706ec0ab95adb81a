"""Whether the sites are alike: what makes the same stack read otherwise must be the same everywhere. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from hopcost.measure.sites.messages import Opened

ENVIRONMENT = {  # keys of a record's environment, and what they are
    "architecture": "architecture",
    "kernel": "kernel",
    "cpu": "processor",
    "cores": "cores",
    "microcode": "microcode",
    "mitigations": "mitigations",
    "hypervisor": "virtual or real machine",
    "clocksource": "clock source",
    "governor": "frequency governor",
    "irq_time_apart": "accounting of interrupts",
    "freezer": "freezer",
    "network_namespaces": "network namespaces",
    "sysctls": "sysctls",
    "memory_bytes": "memory",
}
GENERATOR = ("architecture", "kernel", "cpu", "microcode", "hypervisor", "allowed_cores", "engine_sha256", "engine")
MEMORY_STEP = 1 << 30  # the kernel's own share differs a little from boot to boot


def differences(sites: Mapping[str, Opened]) -> list[str]:
    """What differs, in sentences; empty if the sites are alike."""
    signs = {name: signs_of(opened) for name, opened in sites.items()}
    (first, reference), *others = signs.items()
    told = []
    for key in sorted({key for values in signs.values() for key in values}):
        for name, values in others:
            if values.get(key) != reference.get(key):
                told.append(f"{key}: {first} has {_words(reference.get(key))}, {name} {_words(values.get(key))}")
    return told


def signs_of(opened: Opened) -> dict[str, object]:
    """What must be alike, by its name."""
    environment = opened.environment
    signs: dict[str, object] = {}
    for key, words in ENVIRONMENT.items():
        signs |= _flat(words, environment.get(key))
    memory = environment.get("memory_bytes")
    signs["memory"] = f"{round(memory / MEMORY_STEP)} GiB" if isinstance(memory, int) else None
    signs |= {f"version of {name}": receipt.version for name, receipt in opened.installed.items()}
    signs |= {f"binary of {name}": digest for name, digest in opened.digests.items()}
    signs["cores allowed"] = opened.allowed_cores
    signs["cores that share a core"] = opened.siblings
    generators = environment.get("generator_machines")
    for number, generator in enumerate(generators if isinstance(generators, list) else [], start=1):
        signs |= {f"generator {number}'s {key.replace('_', ' ')}": generator.get(key) for key in GENERATOR}
    return signs


def _flat(words: str, value: object) -> dict[str, object]:
    """A table as one sign for each key, so that a message names the key."""
    if isinstance(value, dict):
        return {f"{words}: {key}": content for key, content in value.items()}
    return {words: value}


def _words(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
