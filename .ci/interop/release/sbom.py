#!/usr/bin/env python3
"""Holds CycloneDX lists against the schema of their version, strictly: sbom.py FILE..."""
import json
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    version = json.loads(text)["specVersion"]
    wrong = JsonStrictValidator(SchemaVersion.from_version(version)).validate_str(text)
    if wrong is not None:
        sys.exit(f"{path}: {str(wrong)[:300]}")
